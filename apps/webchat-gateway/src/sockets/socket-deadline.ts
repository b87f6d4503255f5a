import { withinDeadline } from '@cxp/service-kit';

/** Runs what a socket asks of PostgreSQL as a request would run it: in the share of its organization, and for a limited time. */
export function forSocketOf<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
  return withinDeadline(['sockets', `organization:${organizationId}`], work);
}
