/** Host and port for logs, without user, password and parameters. */
export function storeAddress(url: string): string {
  const [, authority = ''] = /^[\w+]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  return authority;
}

export function failureReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(failureReason))].join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The service can't use this store however long it waits. The message is one line with the remedy. */
export class UnusableStoreError extends Error {}
