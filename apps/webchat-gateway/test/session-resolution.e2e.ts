import type { TestService } from '@cxp/service-kit/testing';
import {
  caller,
  createBody,
  createSession,
  expireSession,
  importRecords,
  postJson,
  service,
  startBeside,
  storedOf,
  useWebchat,
  webchatCaller,
  type User,
} from './webchat-service';

/** With `WEBCHAT_STRICT_USER_ID=on`. */
let strict: TestService;

// Before the service, whose stores it uses.
afterAll(() => strict.stop());
useWebchat();
beforeAll(async () => {
  strict = await startBeside(service, { WEBCHAT_STRICT_USER_ID: 'on' });
});

interface Created {
  readonly userId: string;
  readonly sessionId: string;
  readonly conversationId: string;
}

async function create(user?: User, at = service, by = caller): Promise<Created> {
  const { userId, sessionId, conversationId } = (await createSession(at, by, user).expect(201)).body;
  return { userId, sessionId, conversationId };
}

describe('an unexpired session is reused, with its sessionId, userId and conversationId', () => {
  it.each<[string, User, User, at?: () => TestService]>([
    ['the same user.id', { id: 'u' }, { id: 'u' }],
    [
      'the same user.id, other phone and email',
      { id: 'u', phone: '1', email: 'a@b.c' },
      { id: 'u', phone: '2', email: 'd@e.f' },
    ],
    ['the same phone', { phone: '+84901' }, { phone: '+84901' }],
    ['the same phone with spaces', { phone: '+84901' }, { phone: ' +84 9\u00a001 ' }],
    ['the same phone with dots, dashes and round brackets', { phone: '+84901' }, { phone: '(+84)-9.0–1' }],
    [
      'the same phone with characters that can’t be seen',
      { phone: '+84901' },
      { phone: '\u2068+84\u200b901\u2069' },
    ],
    [
      'the same email with characters that can’t be seen',
      { email: 'a@b.c' },
      { email: '\u202aa@\u00adb.c \ufeff' },
    ],
    ['the same email', { email: 'a@b.c' }, { email: 'a@b.c' }],
    ['the same email in another case', { email: 'hoa.Nguyễn@b.c' }, { email: 'HOA.NGUYỄN@B.C' }],
    ['the same phone, another user.id', { id: 'u', phone: '1' }, { id: 'v', phone: '1' }],
    [
      'null for what was sent before',
      { id: 'u', phone: '1' },
      { id: null, phone: '1', email: null, name: null },
    ],
    ['the same phone without user.id, if strict', { id: 'u', phone: '1' }, { phone: '1' }, () => strict],
    [
      'the same email with the same user.id, if strict',
      { id: 'u', email: 'e' },
      { id: 'u', email: 'e' },
      () => strict,
    ],
    ['the same phone of a generated userId, if strict', { phone: '1' }, { phone: '1' }, () => strict],
  ])('for %s', async (_, first, second, at = () => service) => {
    const created = await create(first, at());
    expect(await create(second, at())).toEqual(created);
    expect((await storedOf(service, caller)).conversations).toHaveLength(1);
  });

  it('for the generated userId, sent as user.id', async () => {
    const created = await create();
    expect(await create({ id: created.userId })).toEqual(created);
  });

  it('for another installed source', async () => {
    const created = await create({ id: 'u' });
    await importRecords(service, caller, { type: 'installed_source', data: { id: 2, name: 'App' } }).expect(
      200,
    );
    const body = { ...createBody(caller, { id: 'u' }), installedSourceId: 2 };
    const again = await postJson(service, '/external/sessions', caller.headers, body).expect(201);
    expect(again.body).toMatchObject(created);
  });

  it('without extending it: the same expiry, for which its token is valid', async () => {
    const created = (await createSession(service, caller, { id: 'u' })).body;
    await service.redis.hincrby(
      `webchat:{${caller.organizationId}}:session:${created.sessionId}`,
      'expiresAt',
      -600,
    );
    const { body } = await createSession(service, caller, { id: 'u', phone: '1' }).expect(201);
    expect(body.sessionTokenExpiration).toBe(created.sessionTokenExpiration - 600);
    expect(body.websocketUrl).toBe(created.websocketUrl);
  });
});

describe('a new session over a new conversation is created', () => {
  it.each<[string, User | undefined, User | undefined, at?: () => TestService]>([
    ['when nothing is sent', undefined, undefined],
    ['when all is null', { id: null, phone: null, email: null }, { id: null, phone: null, email: null }],
    ['for another user.id', { id: 'u' }, { id: 'v' }],
    ['for a user.id in another case', { id: 'u' }, { id: 'U' }],
    ['for a user.id with spaces around', { id: 'u' }, { id: ' u ' }],
    ['for a user.id after none: the shapes are not linked', { name: 'Hoa' }, { id: 'u', name: 'Hoa' }],
    ['for a phone without its plus', { phone: '+84901' }, { phone: '84901' }],
    ['for blank phones', { phone: '' }, { phone: '' }],
    ['for phones that are blank once normalised', { phone: ' --- ' }, { phone: '(.)' }],
    ['for phones without a digit or letter', { phone: '+' }, { phone: '+ ()' }],
    ['for emails that can’t be seen', { email: '\u200b' }, { email: ' \u200b' }],
    ['for blank emails', { email: ' ' }, { email: '' }],
    ['for a phone that was an email or a user.id', { id: '1', email: '1' }, { phone: '1' }],
    ['for an email that was a phone or a user.id', { id: '1', phone: '1' }, { email: '1' }],
    ['for a user.id that was a phone or an email', { phone: '1', email: '1' }, { id: '1' }],
    ['for the same name alone', { name: 'Hoa' }, { name: 'Hoa' }],
    [
      'for the phone and email of another user.id, if strict',
      { id: 'u', phone: '1', email: 'e' },
      { id: 'v', phone: '1', email: 'e' },
      () => strict,
    ],
    ['for the phone of a generated userId, if strict', { phone: '1' }, { id: 'v', phone: '1' }, () => strict],
  ])('%s', async (_, first, second, at = () => service) => {
    const [one, other] = [await create(first, at()), await create(second, at())];
    for (const field of ['sessionId', 'userId', 'conversationId'] as const) {
      expect(other[field]).not.toBe(one[field]);
    }
  });

  it('for the identifiers of another organization', async () => {
    const user = { id: 'u', phone: '1', email: 'a@b.c' };
    const one = await create(user);
    const other = await create(user, service, await webchatCaller(service));
    expect(other.userId).toBe('u');
    expect(other.sessionId).not.toBe(one.sessionId);
    expect(other.conversationId).not.toBe(one.conversationId);
  });
});

describe('of several sessions', () => {
  it.each<[string, User, 'byId' | 'byPhone' | 'byEmail']>([
    ['user.id wins over phone and email', { id: 'u', phone: '1', email: 'e' }, 'byId'],
    ['phone wins over email', { phone: '1', email: 'e' }, 'byPhone'],
    ['an unknown user.id leaves it to the phone', { id: 'v', phone: '1', email: 'e' }, 'byPhone'],
    ['an unknown phone leaves it to the email', { id: 'v', phone: '2', email: 'e' }, 'byEmail'],
  ])('%s', async (_, user, winner) => {
    const sessions = {
      byId: await create({ id: 'u' }),
      byPhone: await create({ phone: '1' }),
      byEmail: await create({ email: 'e' }),
    };
    expect(await create(user)).toEqual(sessions[winner]);
  });

  it('the one that was given a phone last matches it; when it has expired, the other', async () => {
    const [one, other] = [await create({ id: 'a', phone: '1' }), await create({ id: 'b' })];
    expect(await create({ id: 'b', phone: '1' })).toEqual(other);
    expect(await create({ phone: '1' })).toEqual(other);
    await create({ id: 'a', phone: '1' });
    expect(await create({ phone: '1' })).toEqual(one);

    await expireSession(service, caller, one.sessionId);
    expect(await create({ phone: '1' })).toEqual(other);
  });
});

describe('identifiers newly sent with a reused session', () => {
  it('match only while it lives; its conversation stays with the userId that was answered', async () => {
    const created = await create({ id: 'u', phone: '1' });
    await create({ id: 'v', phone: '1' });
    expect(await create({ id: 'v' })).toEqual(created);

    await expireSession(service, caller, created.sessionId);
    const [v, u] = [await create({ id: 'v' }), await create({ id: 'u' })];
    expect(v).toMatchObject({
      userId: 'v',
      conversationId: expect.not.stringContaining(created.conversationId),
    });
    expect(u).toMatchObject({ userId: 'u', conversationId: created.conversationId });
  });
});

it('the session of the same user.id matches behind one of another that has the phone too, if strict', async () => {
  const mine = await create({ id: 'u', phone: '1' }, strict);
  await create({ id: 'v', phone: '1' }, strict);
  await service.redis.del(`webchat:{${caller.organizationId}}:user:u`);
  expect(await create({ id: 'u', phone: '1' }, strict)).toEqual(mine);
});
