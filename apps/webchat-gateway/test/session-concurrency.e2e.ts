import { setTimeout as sleep } from 'node:timers/promises';
import type { Response } from 'supertest';
import { eventually } from '@cxp/service-kit/testing';
import { startService, type ServiceProcess } from '@cxp/testing/local-servers';
import { statementsThatWait } from '@cxp/testing';
import { caller, createSession, service, storedOf, type User, useWebchat } from './webchat-service';

const CALLS = 100;

useWebchat();

function startProcess(): Promise<ServiceProcess> {
  const entry = 'dist/apps/webchat-gateway/main.js';
  return startService({ entry, env: service.environment, portVariable: 'WEBCHAT_PORT' });
}

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
    processes = await Promise.all([startProcess(), startProcess()]);
  });
  afterAll(() => Promise.all(processes.map((process) => process.stop())));

  const cases: [string, User[]][] = [
    ['user.id alone', [{ id: 'u' }]],
    ['phone alone', [{ phone: '+84901' }]],
    [
      'identifiers that all share the phone',
      [{ phone: '1' }, { phone: '1', email: 'a@b.c' }, { id: 'u', phone: '1' }],
    ],
  ];

  it.each(cases)('%s, across two processes', async (_, users) => {
    await expectOne(await createAtOnce(repeat(...users), processes));
  });

  async function expectOne(created: Awaited<ReturnType<typeof createAtOnce>>): Promise<void> {
    const [first] = created;
    for (const { sessionId, conversationId, userId } of created) {
      expect({ sessionId, conversationId, userId }).toMatchObject({
        sessionId: first!.sessionId,
        conversationId: first!.conversationId,
        userId: first!.userId,
      });
    }
    const { conversations, sessions } = await storedOf(service, caller);
    expect(conversations).toEqual([{ id: first!.conversationId, user_id: first!.userId }]);
    expect(sessions).toHaveLength(1);
  }

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
    const doomed = await startProcess();
    const lock = service.dataSource.createQueryRunner();
    await lock.startTransaction();
    await lock.query('LOCK TABLE webchat.conversation IN ACCESS EXCLUSIVE MODE');
    const unanswered = createSession(doomed, caller, user).then(
      ({ status }) => status,
      () => 'no answer',
    );
    await eventually(async () => (await statementsThatWait(service.dataSource)).length > 0);
    doomed.signal('SIGKILL');
    await doomed.exited;
    await lock.rollbackTransaction();
    await lock.release();
    expect(await unanswered).toBe('no answer');

    const { body } = await createSession(service, caller, user).expect(201);
    for (const each of [{ id: 'u' }, { phone: '1' }, { email: 'a@b.c' }]) {
      expect((await createSession(service, caller, each)).body.sessionId).toBe(body.sessionId);
    }
    const { conversations, sessions } = await storedOf(service, caller);
    expect(conversations).toEqual([{ id: body.conversationId, user_id: body.userId }]);
    expect(sessions).toHaveLength(1);
  });
});
