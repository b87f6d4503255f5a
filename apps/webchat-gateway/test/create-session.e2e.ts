import { randomUUID } from 'node:crypto';
import { eventually } from '@cxp/service-kit/testing';
import { ConversationRepository } from '../src/conversations/conversation.repository';
import { SessionRepository } from '../src/sessions/session.repository';
import {
  badRequest,
  caller,
  createBody,
  createSession,
  importRecords,
  postJson,
  service,
  storedOf,
  useWebchat,
} from './webchat-service';

const INACTIVE = 'installedSourceId must be an active installed source of the organization';
const NO_ORGANIZATION = 'organizationId must not be empty';
const NO_STRING = 'organizationId must be a string';
const NO_INTEGER = 'installedSourceId must be an integer number';
const NO_OBJECT = 'user must be an object';
const NO_ID = 'user.id must not be empty';
const LONG_ID = 'user.id must have at most 255 characters';
const NO_TEXT = 'must be Unicode text without NUL';

/** Does what `SessionService` does, and something else between its steps. */
type WriteName = (
  name: string,
  between?: {
    readonly claimed?: () => Promise<unknown>;
    readonly stored?: () => Promise<unknown>;
    readonly isSet?: boolean;
  },
) => Promise<void>;

useWebchat();

describe('A1: POST /external/sessions', () => {
  it('answers 201 with every field of the contract and nothing else', async () => {
    const start = Math.floor(Date.now() / 1_000);
    const { body, headers } = await createSession(service, caller, { id: 'customer-1' }).expect(201);
    expect(body).toEqual({
      userId: 'customer-1',
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sessionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      sessionTokenExpiration: expect.any(Number),
      websocketUrl: `wss://webchat.test/sessions/${body.sessionId}`,
      conversationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(body.sessionTokenExpiration).toBeGreaterThanOrEqual(start + 3_600);
    expect(body.sessionTokenExpiration).toBeLessThanOrEqual(Date.now() / 1_000 + 3_600);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each<[string, object]>([
    ['no user', {}],
    ['user null', { user: null }],
    ['an empty user', { user: {} }],
    ['a user of nulls', { user: { id: null, name: null, email: null, phone: null } }],
  ])('generates a userId of the form Webchat-<uuid> for %s', async (_, rest) => {
    const { body } = await send({ ...createBody(caller), ...rest }).expect(201);
    expect(body.userId).toMatch(/^Webchat-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it.each([
    ['a new session', () => service.redis.flushdb()],
    ['the session that is reused', () => undefined],
  ])(
    'keeps what requests give of the user with %s; null and omitted fields take nothing away',
    async (_, next) => {
      await createSession(service, caller, {
        id: 'u',
        name: 'Hoa',
        email: 'Hoa@example.com',
        phone: '+84 90',
      });
      await next();
      await createSession(service, caller, { id: 'u', name: null, phone: '+84 91' }).expect(201);
      await next();
      await createSession(service, caller, {
        id: 'u',
        name: ' \u3164',
        phone: '---',
        email: '\u200b',
      }).expect(201);
      const stored: unknown[] = await service.dataSource.query(
        'SELECT user_name, user_email, user_phone FROM webchat.conversation WHERE organization_id = $1',
        [caller.organizationId],
      );
      expect(stored).toEqual([{ user_name: 'Hoa', user_email: 'Hoa@example.com', user_phone: '+84 91' }]);
    },
  );

  it('stores what is said with a reused session only if it is new, of two calls at once, too', async () => {
    const describe = jest.spyOn(service.app.get(ConversationRepository), 'describeUser');
    const say = (name: string) => createSession(service, caller, { id: 'u', name }).expect(201);
    const storedName = async () => {
      const sql = 'SELECT user_name FROM webchat.conversation WHERE organization_id = $1';
      return (await service.dataSource.query(sql, [caller.organizationId]))[0].user_name;
    };
    await createSession(service, caller, { id: 'u' });
    for (const name of ['Hoa', 'Hoa', 'Hoa', 'Lan', 'Lan', 'Hoa']) {
      await say(name);
      expect(await storedName()).toBe(name);
    }
    expect(describe).toHaveBeenCalledTimes(3);
    for (let round = 0; round < 10; round++) {
      await Promise.all(['Mai', 'Lan', 'Hoa'].map(say));
      await say('Lan');
      expect(await storedName()).toBe('Lan');
    }
    describe.mockRestore();
  });

  it.each<[string, (write: WriteName) => Promise<unknown>, string]>([
    [
      'a call that ended after PostgreSQL stored another name',
      (write) => write('Lan', { isSet: false }),
      'Hoa',
    ],
    [
      'two calls, of which the one that PostgreSQL stored last ended then',
      (write) => write('Lan', { claimed: () => write('Mai'), isSet: false }),
      'Mai',
    ],
    [
      'a call that others overtook who said what was known before',
      (write) => write('Lan', { stored: () => write('Mai').then(() => write('Hoa')) }),
      'Lan',
    ],
  ])('stores what is said after %s', async (_, act, name) => {
    const { organizationId } = caller;
    await createSession(service, caller, { id: 'u', name: 'Hoa' }).expect(201);
    const [sessions, conversations] = [
      service.app.get(SessionRepository),
      service.app.get(ConversationRepository),
    ];
    await act(async function write(other, { claimed, stored, isSet = true } = {}) {
      const said = { name: other };
      const fresh = { sessionId: randomUUID(), userId: 'u' };
      const claim = await sessions.claim(organizationId, ['user:u'], said, fresh);
      const conversationId = claim.conversationId!;
      await claimed?.();
      await conversations.describeUser(organizationId, conversationId, said, []);
      await stored?.();
      if (isSet) await sessions.setConversation(organizationId, claim, conversationId, said, []);
    });
    await createSession(service, caller, { id: 'u', name }).expect(201);
    const sql = 'SELECT user_name FROM webchat.conversation WHERE organization_id = $1';
    expect(await service.dataSource.query(sql, [organizationId])).toEqual([{ user_name: name }]);
  });

  it('ignores unknown fields, whatever they hold', async () => {
    const unknown = { other: '\0', user: { id: 'u', nickname: '\ud800', deep: { er: [{}] } } };
    await send({ ...createBody(caller), ...unknown }).expect(201);
  });

  it('takes user fields of 255 characters', async () => {
    const text = '😀'.repeat(255);
    const { body } = await createSession(service, caller, { id: text, name: text, email: text, phone: text });
    expect(body.userId).toBe(text);
  });
});

describe('a bad body of A1 is 422 with every problem in one answer, and nothing is stored', () => {
  beforeEach(async () => {
    await importRecords(service, caller, source({ id: 2, active: false })).expect(200);
    await importRecords(service, await service.caller(), source({ id: 3 })).expect(200);
  });

  it.each<[string, object, string[]]>([
    ['organizationId missing', { organizationId: undefined }, [NO_ORGANIZATION, NO_STRING]],
    ['organizationId null', { organizationId: null }, [NO_ORGANIZATION, NO_STRING]],
    ['organizationId empty', { organizationId: '' }, [NO_ORGANIZATION]],
    ['organizationId a number', { organizationId: 7 }, [NO_STRING]],
    ['organizationId an object', { organizationId: {} }, [NO_STRING]],
    ['installedSourceId missing', { installedSourceId: undefined }, [NO_INTEGER]],
    ['installedSourceId null', { installedSourceId: null }, [NO_INTEGER]],
    ['installedSourceId a string', { installedSourceId: '1' }, [NO_INTEGER]],
    ['installedSourceId a fraction', { installedSourceId: 1.5 }, [NO_INTEGER]],
    ['installedSourceId a boolean', { installedSourceId: true }, [NO_INTEGER]],
    ['installedSourceId unknown', { installedSourceId: 404 }, [INACTIVE]],
    ['installedSourceId inactive', { installedSourceId: 2 }, [INACTIVE]],
    ["installedSourceId another organization's", { installedSourceId: 3 }, [INACTIVE]],
    ['installedSourceId negative', { installedSourceId: -1 }, [INACTIVE]],
    ['installedSourceId beyond 64 bits', { installedSourceId: 1e30 }, [INACTIVE]],
    ['user a string', { user: 'u' }, [NO_OBJECT]],
    ['user an array', { user: [] }, [NO_OBJECT]],
    ['user.id empty', { user: { id: '' } }, [NO_ID]],
    ['user.id of spaces', { user: { id: ' \t\u00a0' } }, [NO_ID]],
    ['user.id of invisible characters', { user: { id: '\u200b\u2060 \ufe0f\u200e\u0085' } }, [NO_ID]],
    ['user.id of 256 emoji', { user: { id: '😀'.repeat(256) } }, [LONG_ID]],
    ['user.id a number', { user: { id: 5 } }, ['user.id must be a string']],
    ['text with NUL', { user: { id: 'a\0b' } }, [`user.id ${NO_TEXT}`]],
    [
      'halves of a pair',
      { user: { name: '\ud83d', email: '\ude00' } },
      [`user.name ${NO_TEXT}`, `user.email ${NO_TEXT}`],
    ],
    [
      'everything at once',
      {
        organizationId: '',
        installedSourceId: '2',
        user: { id: ' ', name: 'x'.repeat(256), email: {}, phone: '\0' },
      },
      [
        NO_ORGANIZATION,
        NO_INTEGER,
        NO_ID,
        'user.name must have at most 255 characters',
        'user.email must be a string',
        `user.phone ${NO_TEXT}`,
      ],
    ],
  ])('%s', async (_, fields, sentences) => {
    const { body } = await send({ ...createBody(caller), ...fields }).expect(422);
    expect(body.message.toSorted()).toEqual(sentences.toSorted());
    expect(body).toEqual(badRequest(...body.message));
    expect(await storedOf(service, caller)).toEqual({ conversations: [], keys: [], sessions: [] });
  });

  it('a JSON value that is no object', async () => {
    for (const value of [null, true, 5, 'text', []]) {
      const { body } = await send(value).expect(422);
      expect(body).toEqual(badRequest('body must be a JSON object'));
    }
  });
});

it('takes an installed source of any channel type, and one that was made active again', async () => {
  await importRecords(service, caller, source({ id: 9, channelType: 'zalo', active: false })).expect(200);
  await send({ ...createBody(caller), installedSourceId: 9 }).expect(422);
  await importRecords(service, caller, source({ id: 9, channelType: 'zalo' })).expect(200);
  await send({ ...createBody(caller), installedSourceId: 9 }).expect(201);
});

it('a source that is no longer active counts for five seconds at most', async () => {
  await createSession(service, caller).expect(201);
  const deactivatedAt = performance.now();
  await importRecords(service, caller, source({ id: 1, active: false })).expect(200);
  await eventually(async () => (await send(createBody(caller))).status === 422);
  expect(performance.now() - deactivatedAt).toBeLessThan(5_500);
});

it('takes 200 values, and no more', async () => {
  const values = (count: number) => ({ ...createBody(caller, { id: 'u' }), x: Array(count - 5).fill(0) });
  await send(values(200)).expect(201);
  const { body } = await send(values(201)).expect(422);
  expect(body).toEqual(badRequest('body must not hold more than 200 members and elements in all'));
  const refresh = { sessionId: 'x', x: Array(199).fill(0) };
  await postJson(service, '/external/sessions/refresh', caller.headers, refresh).expect(422);
});

function send(body: unknown) {
  return postJson(service, '/external/sessions', caller.headers, body);
}

function source(data: { id: number; active?: boolean; channelType?: string }) {
  return { type: 'installed_source', data: { name: 'Website', ...data } };
}
