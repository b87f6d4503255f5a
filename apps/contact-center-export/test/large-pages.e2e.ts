import type { Caller, TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import {
  EVER,
  getConversation,
  importRecords,
  listSessions,
  startContactCenter,
} from './contact-center-service';

const TICKETS = 11;
/** Neither as many characters as bytes nor as many bytes as in an answer. */
const NOTE = 'Hà "Nội"\n'.repeat(2_000);

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
  caller = await service.caller();
  await importRecords(service, caller, [
    record.conversation({ id: 'c' }),
    ...Array.from({ length: TICKETS }, (_, id) =>
      record.ticket({ id, conversationId: 'c', customFields: { Note: `${id} ${NOTE}` } }),
    ),
  ]).expect(200);
});
afterAll(() => service.stop());

/** The rows of the window, one on a page. */
async function rowsOneByOne(): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let page = 1; page <= TICKETS; page++) {
    const { body } = await listSessions(service, caller, { ...EVER, perPage: 1, page }).expect(200);
    rows.push(...body.items);
  }
  return rows;
}

it.each<[query: Record<string, string | number>, first: number, last: number, rest: object]>([
  [{ perPage: 100 }, 0, TICKETS, { total: TICKETS, page: 1, perPage: 100, pages: 1 }],
  [{ perPage: 6, page: 2 }, 6, TICKETS, { total: TICKETS, page: 2, perPage: 6, pages: 2 }],
  [
    { perPage: 100, sessionAgentEmails: 'nobody@example.com' },
    0,
    0,
    { total: 0, page: 1, perPage: 100, pages: 0 },
  ],
])('B1 of large rows is the page that it would be of small ones: %j', async (query, first, last, rest) => {
  const expected = (await rowsOneByOne()).slice(first, last);
  const { text } = await listSessions(service, caller, { ...EVER, ...query }).expect(200);
  expect(text).toBe(JSON.stringify({ items: expected, ...rest }));
});

it('B1 of large rows by cursor goes on after its last row', async () => {
  const first = await listSessions(service, caller, { ...EVER, perPage: 6, cursor: '' }).expect(200);
  expect(Object.keys(first.body)).toEqual(['items', 'total', 'page', 'perPage', 'pages', 'nextCursor']);
  const cursor = first.body.nextCursor as string;
  const second = await listSessions(service, caller, { ...EVER, perPage: 6, cursor }).expect(200);
  expect([...first.body.items, ...second.body.items]).toEqual(await rowsOneByOne());
  const last = second.body.nextCursor as string;
  const none = await listSessions(service, caller, { ...EVER, perPage: 6, cursor: last }).expect(200);
  expect(none.body).toMatchObject({ items: [], nextCursor: null });
});

it('B2 of large rows has all of them', async () => {
  const { text } = await getConversation(service, caller, 'c').expect(200);
  expect(text).toBe(JSON.stringify({ items: await rowsOneByOne() }));
});
