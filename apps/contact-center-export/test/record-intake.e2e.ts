import type { Caller, TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import {
  EVER,
  importRecords,
  listSessions,
  startContactCenter,
  UNAUTHORIZED,
} from './contact-center-service';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

async function rows(from = caller): Promise<object[]> {
  const { body } = await listSessions(service, from, EVER).expect(200);
  expect(body.total).toBe(body.items.length);
  return body.items;
}

/** A conversation handed from agent to agent, with later versions of some records. */
function conversation(id: string): object[] {
  const of = { conversationId: id };
  const at = (minute: number) => `2026-01-05T01:${String(minute).padStart(2, '0')}:00Z`;
  const agent = (accountId: number) => ({ accountId, email: `agent${accountId}@example.com` });
  return [
    record.conversation({ id, updatedAt: at(1) }),
    record.conversation({ id, updatedAt: at(50), closedAt: at(49), customer: { name: 'Chi' } }),
    record.activity({ ...of, id: `${id}-1`, action: 'route_to_human', occurredAt: at(1) }),
    record.activity({ ...of, id: `${id}-2`, occurredAt: at(2), agent: agent(1) }),
    record.activity({ ...of, id: `${id}-3`, occurredAt: at(20), agent: agent(2) }),
    record.activity({ ...of, id: `${id}-4`, action: 'route_to_rating', occurredAt: at(30) }),
    record.message({ ...of, id: `${id}-1`, sentAt: at(5) }),
    record.message({ ...of, id: `${id}-2`, sentAt: at(25) }),
    record.ticket({ ...of, id: id.length, assigneeAccountId: 1, createdAt: at(3), updatedAt: at(3) }),
    record.ticket({ ...of, id: id.length, assigneeAccountId: 2, createdAt: at(21), updatedAt: at(22) }),
    record.survey({ ...of, id: `${id}-1`, rating: 2, submittedAt: at(31) }),
    record.survey({ ...of, id: `${id}-2`, rating: 5, submittedAt: at(32) }),
  ];
}

describe('POST /internal/records', () => {
  it('stores nothing when any line is bad, and names every one', async () => {
    const { body } = await importRecords(service, caller, [
      ...conversation('c'),
      { type: 'activity', data: { id: 'a', conversationId: 'c', action: 'assign' } },
      {
        type: 'ticket',
        data: { id: '1', conversationId: 'c', createdAt: 'x', updatedAt: '2026-01-05T00:00:00Z' },
      },
      { type: 'human_schedule', data: { weekly: [{ weekday: 8, start: '9:00', end: '17:00' }] } },
    ]).expect(422);
    expect(body.detail).toEqual([
      { loc: ['body', 13, 'data', 'occurredAt'], msg: 'Field required', type: 'missing' },
      expect.objectContaining({ loc: ['body', 14, 'data', 'id'], type: 'integer_type' }),
      expect.objectContaining({ loc: ['body', 14, 'data', 'createdAt'], type: 'instant_parsing' }),
      expect.objectContaining({ loc: ['body', 15, 'data', 'weekly', 0, 'weekday'] }),
      expect.objectContaining({ loc: ['body', 15, 'data', 'weekly', 0, 'start'] }),
    ]);
    expect(await rows()).toEqual([]);
  });

  it('refuses a second exception of a date', async () => {
    const exceptions = [{ date: '2026-01-05', intervals: [] }];
    const schedule = { type: 'human_schedule', data: { weekly: [], exceptions } };
    await importRecords(service, caller, [schedule]).expect(200);
    exceptions.push(...exceptions);
    const { body } = await importRecords(service, caller, [schedule]).expect(422);
    expect(body.detail).toMatchObject([
      { loc: ['body', 1, 'data', 'exceptions', 1, 'date'], type: 'duplicate' },
    ]);
  });

  it("is separate from the export: its own permission, and intake's own words", async () => {
    const { organizationId } = caller;
    const reader = await service.caller({
      organizationId,
      permissions: ['$export_conversation_session:list'],
    });
    const writer = await service.caller({ organizationId, permissions: ['$platform_record:import'] });
    const refused = await importRecords(service, reader, conversation('c')).expect(403);
    expect(refused.body).toEqual({ detail: 'Permission denied' });
    await importRecords(service, writer, conversation('c')).expect(200);
    expect((await listSessions(service, writer, EVER).expect(401)).body).toEqual(UNAUTHORIZED);
    expect(await rows(reader)).toHaveLength(2);
  });
});
