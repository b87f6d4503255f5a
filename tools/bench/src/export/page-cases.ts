import { YEAR, agentEmail } from './generated-conversations';

const DAY_MS = 24 * 60 * 60 * 1000;
/** The default timezone's, the whole year round. */
const SINGAPORE_MS = 8 * 60 * 60 * 1000;

export const PER_PAGE = 50;

/** A page of a window, as B1 is asked for it and as the bare handlers are. */
export interface PageCase {
  readonly window: string;
  readonly filter: string;
  readonly page: string;
  /** From 1. */
  readonly number: number;
  readonly servicePath: string;
  readonly bareQuery: string;
}

const WINDOWS = [
  { name: '1 day', from: 180, days: 1 },
  { name: '30 days', from: 160, days: 30 },
  { name: '365 days', from: 0, days: YEAR.days },
];

const FILTERS: readonly { name: string; email?: string; endReason?: string }[] = [
  { name: 'none' },
  { name: 'agent', email: agentEmail(7) },
  { name: 'end reason', endReason: 'handoff_to_ai' },
  { name: 'agent + end reason', email: agentEmail(7), endReason: 'terminal' },
];

/** How many there are: the first, the middle and the last page of each window and filter. */
export const PAGE_CASES = WINDOWS.length * FILTERS.length * 3;

/** The pages of every window and filter. @param pagesOf how many pages the answer to a path has */
export async function pageCases(pagesOf: (path: string) => Promise<number>): Promise<PageCase[]> {
  const cases: PageCase[] = [];
  for (const window of WINDOWS) {
    for (const filter of FILTERS) {
      const first = pageCase(window, filter, 'first', 1);
      const pages = await pagesOf(first.servicePath);
      cases.push(
        first,
        pageCase(window, filter, 'middle', Math.max(1, Math.ceil(pages / 2))),
        pageCase(window, filter, 'last', Math.max(1, pages)),
      );
    }
  }
  return cases;
}

function pageCase(
  { name, from, days }: (typeof WINDOWS)[number],
  { name: filter, email, endReason }: (typeof FILTERS)[number],
  page: string,
  number: number,
): PageCase {
  const startDay = YEAR.startsAt + from * DAY_MS;
  const shared = { page: String(number), perPage: String(PER_PAGE) };
  const service = new URLSearchParams({
    startDate: date(startDay),
    endDate: date(startDay + (days - 1) * DAY_MS),
    ...(email && { sessionAgentEmails: email }),
    ...(endReason && { sessionEndReasons: endReason }),
    ...shared,
  });
  const bare = new URLSearchParams({
    startsAt: String(startDay - SINGAPORE_MS),
    endsAt: String(startDay - SINGAPORE_MS + days * DAY_MS),
    ...(email && { email }),
    ...(endReason && { endReason }),
    ...shared,
  });
  return {
    window: name,
    filter,
    page,
    number,
    servicePath: `/external/conversation-sessions?${service.toString()}`,
    bareQuery: bare.toString(),
  };
}

function date(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
