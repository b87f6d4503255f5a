import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { eventually } from '@cxp/service-kit/testing';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { statementsThatWait } from '@cxp/testing';
import {
  caller,
  createSession,
  service,
  startProcess,
  storedOf,
  type User,
  useWebchat,
  whileLocked,
} from './webchat-service';

const CALLS = 100;

useWebchat();

/** Makes all calls at once, spread over the given processes. */
function createAtOnce(users: readonly User[], processes: readonly { url: string }[]) {
  return Promise.all(
    users.map(async (user, i) => {
      const { body } = await createInTime(processes[i % processes.length]!, user);
      return body as { sessionId: string; conversationId: string; userId: string };
    }),
  );
}

/** On a busy machine some of so many calls run out of their time: they are repeated, as their 503 asks for. */
async function createInTime(process: { url: string }, user: User): Promise<Response> {
  const answer = await createSession(process, caller, user);
  if (answer.status === 503) {
    await sleep(Number(answer.headers['retry-after']) * 1_000);
    return createInTime(process, user);
  }
  expect(answer.status).toBe(201);
  return answer;
}

function repeat(...users: User[]): User[] {
  return Array.from({ length: CALLS }, (_, i) => users[i % users.length]!);
}

describe(`${CALLS} concurrent creates of one customer give one session, one conversation and no orphan`, () => {
  let processes: ServiceProcess[];
  beforeAll(async () => {
    processes = await Promise.all([startProcess(service), startProcess(service)]);
  });
  afterAll(() => Promise.all(processes.map((process) => process.stop())));

  it.each<[string, User[]]>([
    ['user.id alone', [{ id: 'u' }]],
    [
      'identifiers that all share the phone',
      [{ phone: '1' }, { phone: '1', email: 'a@b.c' }, { id: 'u', phone: '1' }],
    ],
  ])('%s, across two processes', async (_, users) => {
    const created = await createAtOnce(repeat(...users), processes);
    const [{ sessionId, conversationId, userId }] = created as [(typeof created)[0]];
    for (const each of created) expect(each).toMatchObject({ sessionId, conversationId, userId });
    const { conversations, sessions } = await storedOf(service, caller);
    expect(conversations).toEqual([{ id: conversationId, user_id: userId }]);
    expect(sessions).toHaveLength(1);
  });

  it('different customers do not get in each other’s way, nor do organizations', async () => {
    const users = Array.from({ length: CALLS }, (_, i) => ({ id: `u${i % 50}` }));
    const created = await createAtOnce(users, processes);
    expect(new Set(created.map(({ sessionId }) => sessionId)).size).toBe(50);
    expect((await storedOf(service, caller)).conversations).toHaveLength(50);
  });

  it('overlapping identifiers leave no conversation that no answer has', async () => {
    const created = await createAtOnce(
      repeat(
        { id: 'u' },
        { phone: '1' },
        { email: 'e' },
        { id: 'u', phone: '1' },
        { phone: '1', email: 'e' },
      ),
      processes,
    );
    const { conversations, sessions } = await storedOf(service, caller);
    expect(new Set(created.map(({ conversationId }) => conversationId))).toEqual(
      new Set(conversations.map(({ id }) => id)),
    );
    expect(sessions).toHaveLength(conversations.length);
  });
});

describe('a process that is killed between its Redis and its PostgreSQL write', () => {
  it('leaves nothing that the next create by any identifier trips over', async () => {
    const user = { id: 'u', phone: '1', email: 'a@b.c' };
    const doomed = await startProcess(service);
    await whileLocked(service, 'LOCK TABLE webchat.conversation', [], async () => {
      const unanswered = expect(createSession(doomed, caller, user)).rejects.toThrow();
      await eventually(async () => (await statementsThatWait(service.dataSource)).length > 0);
      doomed.signal('SIGKILL');
      await unanswered;
    });

    const { body } = await createSession(service, caller, user).expect(201);
    for (const each of [{ id: 'u' }, { phone: '1' }, { email: 'a@b.c' }]) {
      expect((await createSession(service, caller, each)).body.sessionId).toBe(body.sessionId);
    }
    const { conversations, sessions } = await storedOf(service, caller);
    expect(conversations).toEqual([{ id: body.conversationId, user_id: body.userId }]);
    expect(sessions).toHaveLength(1);
  });
});
