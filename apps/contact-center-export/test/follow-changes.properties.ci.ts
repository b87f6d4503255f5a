import fc from 'fast-check';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { runs } from '@cxp/testing';
import { record } from './builders/platform-records';
import { ChangeFollower, listDigests, listEverything } from './change-follower';
import { EVER, importRecords, startContactCenter } from './contact-center-service';

const HISTORIES = runs(17);

const IDS = ['a', 'b', 'c', 'd', 'e'];
const hour = (number: number) => new Date(Date.UTC(2026, 0, 5, number)).toISOString();
const agents = fc.constantFrom(
  null,
  { accountId: 1, email: 'ann@example.com' },
  { accountId: 2, email: 'Bob@example.com', name: 'Bob' },
  { accountId: 3, email: 'bot@example.com', isServiceAccount: true },
);
const conversationId = fc.constantFrom(...IDS);

const upsert: fc.Arbitrary<object> = fc.oneof(
  fc
    .tuple(conversationId, fc.nat(40), fc.option(fc.nat(40)))
    .map(([id, updated, closed]) =>
      record.conversation({ id, updatedAt: hour(updated), closedAt: closed === null ? null : hour(closed) }),
    ),
  fc
    .record({
      id: fc.nat(9).map((number) => `activity ${number}`),
      conversationId,
      action: fc.constantFrom(
        'assign',
        'human_take_over',
        'route_to_ai',
        'route_to_rating',
        'end_conversation',
      ),
      occurredAt: fc.nat(20).map(hour),
      agent: agents,
    })
    .map((activity) => record.activity(activity)),
  fc
    .record({
      id: fc.nat(5).map((number) => `message ${number}`),
      conversationId,
      senderType: fc.constantFrom('agent', 'customer'),
      sentAt: fc.nat(20).map(hour),
    })
    .map((message) => record.message(message)),
  fc
    .record({
      id: fc.nat(5),
      conversationId,
      assigneeAccountId: fc.constantFrom(null, 1, 2),
      assignedAt: fc.nat(20).map(hour),
      updatedAt: fc.nat(20).map(hour),
      status: fc.constantFrom('open', 'solved'),
      customFields: fc.dictionary(fc.constantFrom('10', '9', 'Größe', '😀', '\ufb33'), fc.string(), {
        noNullPrototype: true,
      }),
    })
    .map((ticket) => record.ticket(ticket)),
  fc
    .record({
      id: fc.nat(3).map((number) => `survey ${number}`),
      conversationId,
      rating: fc.integer({ min: 1, max: 5 }),
      submittedAt: fc.nat(30).map(hour),
    })
    .map((survey) => record.survey(survey)),
);
const removal = fc
  .tuple(
    fc.oneof(
      conversationId.map((id) => ({ type: 'conversation', id })),
      fc.nat(5).map((id) => ({ type: 'ticket', id })),
      fc.nat(9).map((number) => ({ type: 'activity', id: `activity ${number}` })),
      fc.nat(5).map((number) => ({ type: 'message', id: `message ${number}` })),
      fc.nat(3).map((number) => ({ type: 'conversation_survey', id: `survey ${number}` })),
    ),
    fc.option(fc.nat(40).map(hour)),
  )
  .map(([{ type, id }, updatedAt]) => ({
    type,
    op: 'delete',
    data: { id, ...(updatedAt && { updatedAt }) },
  }));
const schedule = fc.constantFrom('08:00', '09:00').map((start) => ({
  type: 'human_schedule',
  data: { weekly: [1, 2, 3].map((weekday) => ({ weekday, start, end: '17:30' })) },
}));
const line = fc.oneof(
  { arbitrary: upsert, weight: 16 },
  { arbitrary: removal, weight: 3 },
  { arbitrary: schedule, weight: 1 },
);

/** What four writers send, request by request, and how much the follower reads between two requests. */
const history = fc.record({
  writers: fc.array(fc.array(fc.array(line, { minLength: 1, maxLength: 12 }), { maxLength: 4 }), {
    minLength: 4,
    maxLength: 4,
  }),
  pages: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 8 }),
});

/** A follower and a service that are killed: tools/system-tests/test/kills.ci.ts. */
describe('a follower', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startContactCenter();
  });
  afterAll(() => service.stop());

  it(
    'has the rows of B1, and their digests, after any history of four writers',
    async () => {
      await fc.assert(
        fc.asyncProperty(history, async ({ writers, pages }) => {
          const caller = await service.caller();
          const follower = new ChangeFollower(service, caller);
          const writing = Promise.all(
            writers.map(async (requests) => {
              for (const records of requests) await importRecords(service, caller, records).expect(200);
            }),
          );
          for (const limit of pages) await follower.readPage(limit);
          await writing;
          await expectRightCopy(service, caller, follower);
        }),
        { numRuns: HISTORIES },
      );
    },
    HISTORIES * 2_000 + 30_000,
  );
});

async function expectRightCopy(
  service: Pick<TestService, 'url'>,
  caller: Caller,
  follower: ChangeFollower,
): Promise<void> {
  await follower.follow();
  expect(follower.rows()).toEqual(await listEverything(service, caller));
  const { body } = await listDigests(service, caller, { ...EVER, timezone: 'UTC' }).expect(200);
  expect((body as { items: object[] }).items).toEqual(follower.digests());
}
