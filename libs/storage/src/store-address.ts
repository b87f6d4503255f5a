/** A store's host and port, for log lines: a URL without its user, password and parameters. */
export function storeAddress(url: string): string {
  const [, authority = ''] = /^[\w+]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  return authority;
}

/** Why a store can't be used, in one line; errors of several addresses are joined. */
export function failureReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(failureReason))].join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}

/** A store that the service can't use however long it waits; the message is one line with the remedy. */
export class UnusableStoreError extends Error {}
