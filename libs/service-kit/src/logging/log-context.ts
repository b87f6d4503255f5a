type LogContext = () => object;

let current: LogContext | undefined;

/** For tracing, which starts before everything else. */
export function describeLogs(context: LogContext): void {
  current = context;
}

export function logContext(): LogContext | undefined {
  return current;
}
