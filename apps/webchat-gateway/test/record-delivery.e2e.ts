import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { utcTime } from '@cxp/records';
import { eventually, type TestService } from '@cxp/service-kit/testing';
import { CONVERSATION_RECORD } from '../src/record-delivery/undelivered.repository';
import { accept, type Answer, areaB, type DeliveredRecord, refuse, useAreaB } from './area-b';
import { agentMessage, connect, openSession, postToConversation } from './conversation-service';
import {
  caller,
  postJson,
  service,
  startBeside,
  startWebchat,
  useWebchat,
  webchatCaller,
} from './webchat-service';

let elsewhere: TestService;

// Before the service, whose stores it uses.
afterAll(() => elsewhere.stop());
useAreaB(useWebchat);
beforeAll(async () => {
  elsewhere = await startBeside(service, areaB.settings);
});
beforeEach(() => {
  areaB.answer = accept;
});

const delivered = () => areaB.recordsOf(service, caller);
const post = (conversationId: string, id: string, by = caller, at = service) =>
  postToConversation(at, by, conversationId, 'messages', agentMessage(id)).expect(200);

interface Row {
  readonly conversation_id: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly next_attempt_at: Date;
  readonly now: Date;
}

async function undelivered({ organizationId } = caller): Promise<Row[]> {
  return service.dataSource.query(
    'SELECT *, now() FROM webchat.undelivered WHERE organization_id = $1 ORDER BY conversation_id',
    [organizationId],
  );
}

async function failedRow(): Promise<Row> {
  let failed: Row | undefined;
  await eventually(async () => {
    failed = (await undelivered()).find(({ attempts }) => attempts > 0);
    return failed !== undefined;
  });
  return failed!;
}

/** As `npx cxp undelivered retry`. */
const retry = () => service.dataSource.query('UPDATE webchat.undelivered SET next_attempt_at = now()');

/** The next A1 opens a new session, which stores what it is given. */
async function endSessions(): Promise<void> {
  const keys = await service.redis.keys(`webchat:{${caller.organizationId}}:*`);
  if (keys.length > 0) await service.redis.del(...keys);
}

function messageIds(organizationId = caller.organizationId): unknown[] {
  return areaB
    .of(organizationId)
    .filter(({ type }) => type === 'message')
    .map(({ data }) => data.id);
}

describe('what happens in a conversation becomes records of area B', () => {
  it.each([
    ['a new session', endSessions],
    ['its live session', () => undefined],
  ])(
    'the conversation when it is created, and again when %s says something new of its customer',
    async (_, next) => {
      const open = async (user: object) => {
        await next();
        return (await openSession(service, caller, { id: 'u', ...user })).conversationId;
      };
      const id = await open({ name: 'Hoa', phone: '+84 90' });
      const [first, ...others] = await delivered();
      expect(others).toEqual([]);
      expect(first).toEqual({
        type: 'conversation',
        data: {
          id,
          createdAt: expect.any(String),
          updatedAt: expect.any(String),
          closedAt: null,
          customer: { filumId: 'u', name: 'Hoa', phone: '+84 90', email: '' },
        },
      });
      await open({ name: 'Hoa' });
      expect(await delivered()).toHaveLength(1);
      await open({ name: 'Hoa Nguyen' });
      const [, second] = await delivered();
      expect(second!.data.customer).toMatchObject({ name: 'Hoa Nguyen', phone: '+84 90' });
      expect(Date.parse(second!.data.updatedAt as string)).toBeGreaterThan(
        Date.parse(first!.data.updatedAt as string),
      );
    },
  );

  it('messages, activities, and the conversation as it is after them', async () => {
    const session = await openSession(service, caller, { id: 'u' });
    const { conversationId } = session;
    const client = await connect(service, session);
    client.sendMessage('c-1');
    const { id, sentAt } = await client.next('message.accepted');
    const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann', isServiceAccount: false };
    const occurredAt = '2026-01-05T12:00:00.000400999999Z';
    const act = (body: object) => postToConversation(service, caller, conversationId, 'activities', body);
    await act({ id: 'a-1', action: 'assign', occurredAt, agent }).expect(200);
    const { body } = await post(conversationId, 'm-2');
    await act({ id: 'a-2', action: 'end_conversation', occurredAt }).expect(200);
    const inUtc = (name: string, { [name]: time }: DeliveredRecord['data']) =>
      time ? { [name]: utcTime(time as string) } : {};
    const records = (await delivered()).map(({ type, data }) => ({
      type,
      ...data,
      ...inUtc('sentAt', data),
      ...inUtc('occurredAt', data),
      ...inUtc('closedAt', data),
    }));
    const toMicroseconds = { occurredAt: '2026-01-05T12:00:00.000400Z' };
    expect(records.filter(({ type }) => type !== 'conversation')).toEqual([
      { type: 'message', id, conversationId, senderType: 'customer', sentAt: utcTime(sentAt) },
      { type: 'activity', id: 'a-1', conversationId, action: 'assign', ...toMicroseconds, agent },
      { type: 'message', id: 'm-2', conversationId, senderType: 'agent', sentAt: utcTime(body.sentAt) },
      {
        type: 'activity',
        id: 'a-2',
        conversationId,
        action: 'end_conversation',
        ...toMicroseconds,
        agent: null,
      },
    ]);
    const last = records.at(-1) as { type: string; closedAt?: string };
    expect(last.type).toBe('conversation');
    expect(last.closedAt).toBe(toMicroseconds.occurredAt);
    await client.close();
  });

  it.each(['America/New_York', 'Asia/Ho_Chi_Minh'])(
    'times in UTC, if those of PostgreSQL are in %s',
    async (zone) => {
      const { conversationId } = await openSession(service, caller, { id: zone });
      const closing = { id: zone, action: 'end_conversation', occurredAt: '0001-01-01T00:00:00.000Z' };
      await postToConversation(service, caller, conversationId, 'activities', closing).expect(200);
      const [{ record }] = await service.dataSource.transaction(async (manager) => {
        await manager.query(`SET LOCAL timezone = '${zone}'`);
        return manager.query<[{ record: DeliveredRecord }]>(
          `SELECT ${CONVERSATION_RECORD} AS record FROM webchat.conversation WHERE id = $1`,
          [conversationId],
        );
      });
      expect(record.data).toMatchObject({
        closedAt: '0001-01-01T00:00:00.000000Z',
        createdAt: expect.stringMatching(/Z$/) as string,
      });
    },
  );

  it('also what a process without the setting has stored, of conversations that were delivered before', async () => {
    const { conversationId } = await openSession(service, caller, { id: 'u', name: 'Hoa' });
    await post(conversationId, 'm-1');
    await delivered();
    const alone = await startBeside(service);
    try {
      await post(conversationId, 'm-2', caller, alone);
      await endSessions();
      await openSession(alone, caller, { id: 'u', name: 'Hoa Nguyen' });
      await post(conversationId, 'm-3', caller, alone);
    } finally {
      await alone.stop();
    }
    expect((await delivered()).at(-1)!.data.customer).toMatchObject({ name: 'Hoa Nguyen' });
    await post(conversationId, 'm-4');
    await delivered();
    expect(messageIds()).toEqual(['m-1', 'm-2', 'm-3', 'm-4']);
  });

  it('each once and in order, whichever of two processes stored them, and however many there are', async () => {
    const conversations = await Promise.all(
      ['u', 'v'].map(async (id) => (await openSession(service, caller, { id })).conversationId),
    );
    // More than one request takes.
    areaB.answer = refuse(503, {});
    const ids = Array.from({ length: 160 }, (_, i) => `m-${i}`);
    await Promise.all(
      ids.map((id, i) => post(conversations[i % 2]!, id, caller, i % 3 ? service : elsewhere)),
    );
    expect((await undelivered()).map(({ conversation_id }) => conversation_id)).toEqual(conversations.sort());
    areaB.answer = accept;
    await retry();
    const messages = (await delivered()).filter(({ type }) => type === 'message').map(({ data }) => data);
    expect(messages.map(({ id }) => id as string).sort()).toEqual(ids.sort());
    for (const id of conversations) {
      const times = messages
        .filter(({ conversationId }) => conversationId === id)
        .map(({ sentAt }) => sentAt);
      expect(times).toEqual([...times].sort());
    }
  });
});

describe('area B stores nothing', () => {
  it.each<[string, Answer, RegExp]>([
    ['answers 503', refuse(503, { detail: 'Service Unavailable' }), /^503 .*Unavail/],
    ['answers 401', refuse(401, { detail: 'Invalid token' }), /^401 .*Invalid token/],
    ['redirects', refuse(302, '', { location: 'http://login.test/' }), /^302 to http:\/\/login\.test\//],
    ['answers with a page', refuse(200, `<html>${' \0hi '.repeat(9_999)}`), /^200 <html> hi/],
    ['has accepted fewer', refuse(200, { accepted: 0 }), /^200 .*0/],
    ['names no line', refuse(422, { detail: [{ loc: ['body'], msg: 'no' }] }), /^422/],
    ['names a line that is none', refuse(422, { detail: [{ loc: ['body', 99] }] }), /^422/],
    ['closes the connection', (_, response) => !response.destroy(), /closed|hang up|ECONN/],
  ])('it %s: the reason stays with the row, and it is sent again', async (_, answer, reason) => {
    areaB.answer = answer;
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    await post(conversationId, 'm-1');
    const { last_error, next_attempt_at, now } = await failedRow();
    expect(last_error).toMatch(reason);
    expect(last_error!.length).toBeLessThanOrEqual(500);
    expect(next_attempt_at.getTime() - now.getTime()).toBeLessThan(60_000);
    areaB.answer = accept;
    await delivered();
    expect(messageIds()).toEqual(['m-1']);
  });

  it('because lines are wrong: their conversation stays with the reason, the others of the request go on', async () => {
    const [bad, good] = await Promise.all(
      ['bad', 'good'].map(async (id) => (await openSession(service, caller, { id })).conversationId),
    );
    await delivered();
    areaB.answer = ({ records, ...delivery }, response) => {
      const line = records.findIndex(({ data }) => data.conversationId === bad) + 1;
      const detail = [
        { loc: ['body', line, 'data', 'senderType'], msg: 'is unwelcome', type: 'value_error' },
      ];
      return (line > 0 ? refuse(422, { detail }) : accept)({ records, ...delivery }, response);
    };
    await Promise.all([post(bad!, 'm-bad'), post(good!, 'm-good')]);
    await eventually(() => messageIds().includes('m-good'));
    const { conversation_id, last_error, next_attempt_at, now } = await failedRow();
    expect([conversation_id, last_error]).toEqual([bad, '422 data.senderType: is unwelcome']);
    expect(next_attempt_at.getTime() - now.getTime()).toBeGreaterThan(50_000);
    // What comes later waits for it.
    await post(bad!, 'm-later');
    areaB.answer = accept;
    await retry();
    await delivered();
    expect(messageIds()).toEqual(['m-good', 'm-bad', 'm-later']);
  });

  it('for one organization, or not even an answer for some: all others are delivered within a second', async () => {
    const failing = await Promise.all(Array.from({ length: 6 }, () => webchatCaller(service)));
    const names = new Set(failing.map(({ organizationId }) => organizationId));
    areaB.answer = ({ organizationId, ...delivery }, response) => {
      if (!names.has(organizationId)) return accept({ organizationId, ...delivery }, response);
      return organizationId === failing[0]!.organizationId
        ? refuse(500, {})({ organizationId, ...delivery }, response)
        : false;
    };
    for (const each of failing) {
      const { conversationId } = await openSession(service, each, { id: 'u' });
      await post(conversationId, 'm-0', each);
    }
    const { conversationId } = await openSession(service, caller, { id: 'u' });
    const delays: number[] = [];
    for (let i = 0; i < 10; i++) {
      const sentAt = performance.now();
      await post(conversationId, `m-${i}`);
      await eventually(() => messageIds().includes(`m-${i}`));
      delays.push(performance.now() - sentAt);
    }
    expect(Math.min(...delays)).toBeLessThan(1_000);
    // A busy machine looks less often; who waited for those that do not answer would wait for 15 seconds.
    expect(Math.max(...delays)).toBeLessThan(5_000);
    // The processes stop without waiting for an answer.
    await service.dataSource.query('DELETE FROM webchat.undelivered WHERE organization_id = ANY ($1)', [
      [...names],
    ]);
  });
});

it('of one conversation two requests are never under way at once', async () => {
  const { conversationId } = await openSession(service, caller, { id: 'u' });
  let underWay = 0;
  let most = 0;
  areaB.answer = async (delivery, response) => {
    if (delivery.organizationId !== caller.organizationId) return accept(delivery, response);
    most = Math.max(most, ++underWay);
    await sleep(150);
    underWay -= 1;
    return accept(delivery, response);
  };
  for (let i = 0; i < 20; i++) await post(conversationId, `m-${i}`, caller, i % 2 ? service : elsewhere);
  await delivered();
  expect(most).toBe(1);
  expect(messageIds()).toEqual(Array.from({ length: 20 }, (_, i) => `m-${i}`));
});

it('while a conversation is sent, an erasure does not wait: a removal follows', async () => {
  let isSent = false;
  let store = () => {};
  const answered = new Promise<void>((resolve) => (store = resolve));
  areaB.answer = async (delivery, response) => {
    if (delivery.organizationId === caller.organizationId) {
      isSent = true;
      await answered;
    }
    return accept(delivery, response);
  };
  await openSession(service, caller, { id: 'u' });
  await eventually(() => isSent);
  const body = { id: randomUUID(), subject: { userIds: ['u'] } };
  const certificate = async (more = {}) =>
    (await postJson(service, '/external/erasures', caller.headers, { ...body, ...more }).expect(200)).body;
  expect((await certificate({ dryRun: true })).found).toMatchObject({ conversations: 1 });
  const isDone = async () => (await certificate()).erasedAt !== null;
  expect(await isDone()).toBe(true);
  store();
  expect((await certificate()).found).toMatchObject({ conversations: 1 });
  expect((await delivered()).map(({ op }) => op)).toEqual([undefined, 'delete']);
});

it('what area B may still store when a process stops keeps its lease', async () => {
  const store = await startWebchat();
  const sender = await startBeside(store, areaB.settings);
  const own = await webchatCaller(store);
  let isSent = false;
  areaB.answer = async ({ organizationId }) => {
    isSent ||= organizationId === own.organizationId;
    return false;
  };
  await openSession(sender, own, { id: 'u' });
  await eventually(() => isSent);
  await sender.stop();
  const rows = await store.dataSource.query(
    'SELECT leased_until > now() AS "isLeased", attempts FROM webchat.undelivered',
  );
  await store.stop();
  expect(rows).toEqual([{ isLeased: true, attempts: 0 }]);
});

it('conversations that failed often delay no other', async () => {
  const failing: string[] = [];
  for (let i = 0; i < 10; i++)
    failing.push((await openSession(service, caller, { id: `u-${i}` })).conversationId);
  const { conversationId } = await openSession(service, caller, { id: 'good' });
  await delivered();
  let failures = 0;
  areaB.answer = (delivery, response) => {
    const ids = delivery.records.map(({ data }) => data.conversationId ?? data.id);
    if (!ids.some((id) => failing.includes(id as string))) return accept(delivery, response);
    failures += 1;
    return refuse(503, {})(delivery, response);
  };
  await service.dataSource.query(
    `INSERT INTO webchat.undelivered (organization_id, conversation_id, attempts, next_attempt_at)
     SELECT $1, unnest($2::uuid[]), 5, now() - interval '1 hour'`,
    [caller.organizationId, failing],
  );
  await eventually(() => failures > 0);
  const before = failures;
  await post(conversationId, 'm-1');
  await eventually(() => messageIds().includes('m-1'));
  expect(failures - before).toBeLessThanOrEqual(3);
});

it('what a process that died has claimed is sent by another one when its lease is over', async () => {
  const { conversationId } = await openSession(service, caller, { id: 'u' });
  await delivered();
  await service.dataSource.query(
    `INSERT INTO webchat.undelivered (organization_id, conversation_id, leased_until)
     VALUES ($1, $2, now() + interval '1 hour')`,
    [caller.organizationId, conversationId],
  );
  const before = areaB.of(caller.organizationId).length;
  await sleep(400);
  expect(areaB.of(caller.organizationId)).toHaveLength(before);
  await service.dataSource.query('UPDATE webchat.undelivered SET leased_until = now()');
  await delivered();
  expect(areaB.of(caller.organizationId)).toHaveLength(before + 1);
});

it('the age of the oldest is a metric', async () => {
  areaB.answer = refuse(503, {});
  await openSession(service, caller, { id: 'u' });
  await service.dataSource.query(`UPDATE webchat.undelivered SET since = now() - interval '5 minutes'`);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  const [, seconds] = /^webchat_undelivered_oldest_seconds\{.*\} (.+)$/m.exec(metrics)!;
  expect(Math.floor(Number(seconds) / 60)).toBe(5);
  areaB.answer = accept;
  await delivered();
});

it('without the setting nothing is queued', async () => {
  const alone = await startBeside(service);
  const { conversationId } = await openSession(alone, caller, { id: 'u' });
  await post(conversationId, 'm-1', caller, alone);
  await alone.stop();
  expect(await undelivered()).toEqual([]);
  expect(areaB.of(caller.organizationId)).toEqual([]);
});
