import { useAreaB } from './area-b';
import { openSession } from './conversation-service';
import { everything, PERSON } from './marked-person';
import {
  caller,
  createSession,
  expireSession,
  refreshSession,
  service,
  type User,
  useWebchat,
} from './webchat-service';
import { certificateWhenDone, erase, erased, fullChat } from './erasures';

useAreaB(useWebchat);

/** What A1 gets of one user after the other; the last of them is matched by. */
const MATCHED: readonly (readonly [string, readonly User[], object])[] = [
  [
    'a phone that came with a reused session',
    [{ id: 'plain' }, { id: 'plain', phone: PERSON.phone }],
    { phones: [PERSON.phone] },
  ],
  [
    'an email that came with a reused session',
    [{ id: 'plain' }, { id: 'plain', email: PERSON.email }],
    { emails: [PERSON.email.toUpperCase()] },
  ],
  [
    'a user id that came with a session of their phone',
    [{ phone: '+84 1' }, { id: PERSON.id, phone: '+84 1' }],
    { userIds: [PERSON.id] },
  ],
  [
    'one of many phones of a session',
    [
      ...Array.from({ length: 70 }, (_, n) => ({ id: 'plain', phone: `${n}` })),
      { id: 'plain', phone: PERSON.phone },
    ],
    { phones: [PERSON.phone] },
  ],
];

describe('a person is found by whatever A1 has matched them by', () => {
  it.each(MATCHED)('%s', async (_, users, subject) => {
    const sessions = [];
    for (const user of users) sessions.push((await createSession(service, caller, user).expect(201)).body);
    expect(new Set(sessions.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(await everything()).not.toBe('');
    const { found } = await erased({ subject });
    expect(found).toMatchObject({ conversations: 1 });
    expect(await everything()).toBe('');
    await refreshSession(service, caller, sessions[0].sessionId).expect(404);
  });

  it('a phone that a later session has replaced', async () => {
    const { sessionId } = await openSession(service, caller, { id: 'plain', phone: PERSON.phone });
    await expireSession(service, caller, sessionId);
    await openSession(service, caller, { id: 'plain', phone: '+84 1' });
    const { found } = await erased({ subject: { phones: [PERSON.phone] } });
    expect(found).toMatchObject({ conversations: 1 });
    expect(await everything()).toBe('');
  });

  it('a phone whose session was reused by a process that died before it stored it', async () => {
    const { sessionId } = await openSession(service, caller, { id: 'plain' });
    const prefix = `webchat:{${caller.organizationId}}`;
    const phone = 'phone:+8490Quynh7431';
    await service.redis.zadd(`${prefix}:${phone}`, 1, sessionId);
    // The next session that is matched by it is stored with it.
    const { body } = await createSession(service, caller, { phone: PERSON.phone }).expect(201);
    expect(body).toMatchObject({ sessionId });
    const { found } = await erased({ subject: { phones: [PERSON.phone] } });
    expect(found).toMatchObject({ conversations: 1 });
    expect(await everything()).toBe('');
  });
});

it("an identifier is taken from another person's session, which goes on; a session without a conversation ends", async () => {
  const { sessionId } = await openSession(service, caller, { id: 'somebody else', phone: '+84 2' });
  // As of creates whose processes have died.
  const prefix = `webchat:{${caller.organizationId}}`;
  const email = `email:${PERSON.email.toLowerCase()}`;
  await service.redis.hset(`${prefix}:session:${sessionId}`, { [`identifier:${email}`]: '' });
  await service.redis.zadd(`${prefix}:${email}`, 1, sessionId);
  const field = 'identifier:phone:+8490Quynh7431';
  await service.redis.hset(`${prefix}:session:died`, {
    userId: 'Webchat-1',
    expiresAt: 99_999_999_999,
    [field]: 1,
  });
  await service.redis.zadd(`${prefix}:phone:+8490Quynh7431`, 1, 'died');
  expect(await everything()).not.toBe('');
  await erased({ subject: { phones: [PERSON.phone], emails: [PERSON.email] } });
  expect(await everything()).toBe('');
  await refreshSession(service, caller, sessionId).expect(200);
});

it('a session that gets its conversation while that is erased is not over it', async () => {
  const { conversationId, sessionId, client } = await fullChat();
  await erased({});
  await client.closed;
  // As a create that has found the conversation before.
  const key = `webchat:{${caller.organizationId}}:session:${sessionId}`;
  await service.redis.hset(key, { userId: PERSON.id, conversationId, expiresAt: 99_999_999_999 });
  await refreshSession(service, caller, sessionId).expect(404);
  expect(await service.redis.exists(key)).toBe(0);
});

it('a step that fails has ended no session', async () => {
  const { client, sessionId } = await fullChat();
  await service.dataSource.query(
    `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
     CREATE TRIGGER refuse BEFORE DELETE ON webchat.conversation FOR EACH ROW EXECUTE FUNCTION refuse()`,
  );
  const { body } = await erase({}).expect(200);
  expect(body).toMatchObject({ erasedAt: null });
  await refreshSession(service, caller, sessionId).expect(200);
  await service.dataSource.query('DROP FUNCTION refuse CASCADE');
  await certificateWhenDone(body.id);
  expect((await client.closed)[0]).toBe(4404);
  expect(await everything()).toBe('');
});
