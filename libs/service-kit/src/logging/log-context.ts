/** What each line of the log has of the work that it belongs to. */
type LogContext = () => object;

let current: LogContext | undefined;

/** For tracing, which starts before everything else: from now on each line has it. */
export function describeLogs(context: LogContext): void {
  current = context;
}

export function logContext(): LogContext | undefined {
  return current;
}
