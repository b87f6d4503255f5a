import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@cxp/service-kit/testing';
import { MAX_SESSIONS_OF_IDENTIFIER, SessionRepository } from '../src/sessions/session.repository';
import { openSession, type OpenedSession } from './conversation-service';
import { caller, refreshSession, service, type User, useWebchat } from './webchat-service';

/** What Redis does for a call must not grow with what it keeps: nothing else is served meanwhile. */
useWebchat(() => ({ WEBCHAT_STRICT_USER_ID: 'on' }));

const create = (user: User) => openSession(service, caller, user);

function keyOf(name: string): string {
  return `webchat:{${caller.organizationId}}:${name}`;
}

/** Sessions of other customers that were given a phone and an email, as any version of the service stored them. */
async function share(identifiers: readonly string[], count: number, state: 'live' | 'expired' | 'gone') {
  const [now] = (await service.redis.time()) as [number, number];
  const commands = service.redis.pipeline();
  for (let n = 0; n < count; n++) {
    const id = randomUUID();
    for (const identifier of identifiers) commands.zadd(keyOf(identifier), now * 1_000_000 + n, id);
    if (state === 'gone') continue;
    const expiresAt = state === 'live' ? now + 3_600 : now;
    commands.hset(keyOf(`session:${id}`), { userId: `u${n}`, conversationId: id, expiresAt });
  }
  await commands.exec();
}

/**
 * The commands that scripts run in this test's database of Redis while something is done. Without ioredis's `monitor`, which
 * fails if the first command that it reports comes with the answer to MONITOR.
 */
async function scriptCommands(act: () => Promise<unknown>): Promise<string[]> {
  const { host, port, db } = service.redis.options;
  const marker = randomUUID();
  let reported = '';
  const monitor = connect(port!, host, () => monitor.write('MONITOR\r\n'));
  monitor.setEncoding('utf8').on('data', (text: string) => (reported += text));
  await eventually(() => reported.startsWith('+OK'));
  await act();
  await service.redis.echo(marker);
  await eventually(() => reported.includes(marker));
  monitor.destroy();
  const names = [...reported.matchAll(new RegExp(`\\[${db} lua\\] "(\\w+)"`, 'g'))].map(([, name]) => name!);
  // Changes are sent to area B at whatever time, and an expiry is set only when its second has changed.
  return names.filter((name) => !/^(xadd|expireat)$/i.test(name));
}

describe('a phone and an email that many customers share', () => {
  const shared = ['phone:1', 'email:e'];

  it.each(['live', 'expired', 'gone'] as const)(
    'cost a claim the same whether 40 or 400 sessions that are %s were given them',
    async (state) => {
      const counts = [];
      for (const count of [40, 400]) {
        await service.redis.del(shared.map(keyOf));
        await share(shared, count, state);
        const commands = await scriptCommands(() => create({ id: `v${count}`, phone: '1', email: 'e' }));
        counts.push(commands.length);
      }
      expect(counts[0]).toBeGreaterThan(0);
      expect(counts[1]).toBe(counts[0]);
    },
  );

  it('find the newest sessions only, and no others are kept for them', async () => {
    // A token says in which second it was signed.
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const sessions: OpenedSession[] = [];
    for (let n = 0; n <= MAX_SESSIONS_OF_IDENTIFIER; n++) {
      sessions.push(await create({ id: `u${n}`, phone: '1', email: 'e' }));
    }
    const newest = sessions.slice(1).map(({ sessionId }) => sessionId);
    for (const key of shared) {
      expect(await service.redis.zrange(keyOf(key), '0', '-1')).toEqual(newest);
    }

    // A refresh does not bring the oldest one back before those that were given the phone after it.
    await refreshSession(service, caller, sessions[0]!.sessionId).expect(200);
    expect(await service.redis.zrange(keyOf('phone:1'), '0', '-1')).toEqual(newest);
    expect(await create({ phone: '1' })).toEqual(sessions.at(-1));
    clock.mockRestore();
    expect(await create({ id: 'u0' })).toMatchObject({ sessionId: sessions[0]!.sessionId });
  });
});

it('a refresh costs the same whether its session was given 70 or 100 phones', async () => {
  const { sessionId } = await create({ id: 'u' });
  const counts = [];
  for (const phones of [70, 100]) {
    for (let n = 0; n < phones; n++) await create({ id: 'u', phone: String(n) });
    const commands = await scriptCommands(() => refreshSession(service, caller, sessionId).expect(200));
    counts.push(commands.length);
  }
  expect(counts[0]).toBeGreaterThan(64);
  expect(counts[1]).toBe(counts[0]);
});

it('a session that was given more phones than it keeps is found by the last ones, which end with it', async () => {
  const { sessionId } = await create({ id: 'u' });
  for (let n = 0; n < 100; n++) await create({ id: 'u', phone: String(n) });
  expect(await service.redis.hlen(keyOf(`session:${sessionId}`))).toBe(64);
  const commands = await scriptCommands(async () => {
    expect(await create({ phone: '99' })).toMatchObject({ sessionId });
  });
  // It is known to be stored: nothing is written to the session.
  expect(commands.filter((name) => /^hset$/i.test(name))).toEqual([]);
  await sleep(1_000);
  await refreshSession(service, caller, sessionId).expect(200);
  const [session, last] = [`session:${sessionId}`, 'phone:99'].map((name) =>
    service.redis.expiretime(keyOf(name)),
  );
  expect(await last).toBe(await session);
  expect(await service.redis.exists(keyOf('phone:0'))).toBe(0);
});

it('a refresh between the claim of a session and its conversation moves the expiry of a new phone, too', async () => {
  const { sessionId, conversationId } = await create({ id: 'u' });
  const { organizationId } = caller;
  const sessions = service.app.get(SessionRepository);
  const said = { phone: '1' };
  const fresh = { sessionId: randomUUID(), userId: 'u' };
  const claimed = await sessions.claim(organizationId, ['user:u', 'phone:1'], said, fresh);
  await sleep(1_000);
  const { body } = await refreshSession(service, caller, sessionId).expect(200);
  const expiresAt = await sessions.setConversation(organizationId, claimed, conversationId, said, [
    'phone:1',
  ]);
  expect(expiresAt).toBe(body.sessionTokenExpiration);
  const [session, phone] = [`session:${sessionId}`, 'phone:1'].map((name) =>
    service.redis.expiretime(keyOf(name)),
  );
  expect(await phone).toBe(await session);
});
