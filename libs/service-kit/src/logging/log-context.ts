type LogContext = () => object;

let current: LogContext | undefined;

export function describeLogs(context: LogContext): void {
  current = context;
}

export function logContext(): LogContext | undefined {
  return current;
}
