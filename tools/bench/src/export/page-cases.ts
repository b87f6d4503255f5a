import { YEAR, agentEmail } from './generated-conversations';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A page of a window. The service and the bare handlers take the same query. */
export interface PageCase {
  readonly window: string;
  readonly filter: string;
  readonly page: string;
  /** From 1. */
  readonly number: number;
  readonly query: string;
}

const WINDOWS = [
  { name: '1 day', from: 180, days: 1 },
  { name: '30 days', from: 160, days: 30 },
  { name: '365 days', from: 0, days: YEAR.days },
];

const sessionAgentEmails = agentEmail(7);
const FILTERS: readonly { name: string; query: Record<string, string> }[] = [
  { name: 'none', query: {} },
  { name: 'agent', query: { sessionAgentEmails } },
  { name: 'end reason', query: { sessionEndReasons: 'handoff_to_ai' } },
  { name: 'agent + end reason', query: { sessionAgentEmails, sessionEndReasons: 'terminal' } },
];

/** How many there are: the first, the middle and the last page of each window and filter. */
export const PAGE_CASES = WINDOWS.length * FILTERS.length * 3;

/** The pages of every window and filter. @param pagesOf how many pages the answer to a query has */
export async function pageCases(pagesOf: (query: string) => Promise<number>): Promise<PageCase[]> {
  const cases: PageCase[] = [];
  for (const window of WINDOWS) {
    for (const filter of FILTERS) {
      const first = pageCase(window, filter, 'first', 1);
      const pages = await pagesOf(first.query);
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
  { name: window, from, days }: (typeof WINDOWS)[number],
  filter: (typeof FILTERS)[number],
  page: string,
  number: number,
): PageCase {
  const startDay = YEAR.startsAt + from * DAY_MS;
  const query = new URLSearchParams({
    startDate: date(startDay),
    endDate: date(startDay + (days - 1) * DAY_MS),
    ...filter.query,
    page: String(number),
    perPage: '50',
  });
  return { window, filter: filter.name, page, number, query: query.toString() };
}

function date(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
