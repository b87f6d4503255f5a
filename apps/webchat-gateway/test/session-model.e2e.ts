import fc from 'fast-check';
import type { TestService } from '@cxp/service-kit/testing';
import { runs } from '@cxp/testing';
import { SessionService } from '../src/sessions/session.service';
import { expireSession, startWebchat } from './webchat-service';

/** A user by index into small pools, so that calls meet each other; `undefined` is an identifier that is not sent. */
interface SentUser {
  readonly id?: string;
  readonly phone?: string;
  readonly email?: string;
}

type Step =
  | { readonly call: 'create'; readonly user: SentUser }
  | { readonly call: 'refresh' | 'expire' | 'lose'; readonly session: number }
  | { readonly call: 'empty Redis' };

interface ModelSession {
  readonly id: string;
  readonly userId: string;
  readonly conversationId: string;
  live: boolean;
  /** When each identifier was last given to it. */
  readonly givenAt: Map<string, number>;
}

/** The contract's three resolution rules, in their plainest form. */
class Model {
  readonly sessions: ModelSession[] = [];
  readonly conversationOfUser = new Map<string, string>();
  private clock = 0;

  constructor(private readonly strict: boolean) {}

  match(user: SentUser): ModelSession | undefined {
    for (const identifier of identifiersOf(user)) {
      const matched = this.sessions
        .filter((session) => session.live && session.givenAt.has(identifier))
        .filter((session) => !this.strict || user.id === undefined || user.id === session.userId)
        .sort((a, b) => b.givenAt.get(identifier)! - a.givenAt.get(identifier)!);
      if (matched[0]) return matched[0];
    }
    return undefined;
  }

  give(session: ModelSession, user: SentUser): void {
    this.clock += 1;
    for (const identifier of identifiersOf(user)) session.givenAt.set(identifier, this.clock);
  }
}

function identifiersOf({ id, phone, email }: SentUser): string[] {
  return [
    ...(id === undefined ? [] : [`id ${id}`]),
    ...(phone === undefined ? [] : [`phone ${phone.replace(/[ ().-]/g, '')}`]),
    ...(email === undefined ? [] : [`email ${email.toLowerCase()}`]),
  ];
}

const user = fc.record(
  {
    id: fc.constantFrom('a', 'b', 'c'),
    phone: fc.constantFrom('+1', ' +1-', '(2)', '2.'),
    email: fc.constantFrom('a@x', 'A@X', 'b@x'),
  },
  { requiredKeys: [] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ call: fc.constant('create' as const), user }) },
  {
    weight: 3,
    arbitrary: fc.record({
      call: fc.constantFrom('refresh' as const, 'expire' as const, 'lose' as const),
      session: fc.nat(5),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ call: 'empty Redis' as const }) },
);

describe.each(['off', 'on'])('with WEBCHAT_STRICT_USER_ID=%s', (strictness) => {
  let service: TestService;
  beforeAll(async () => {
    service = await startWebchat({ WEBCHAT_STRICT_USER_ID: strictness });
  });
  afterAll(() => service.stop());

  it('any sequence of calls, expiries and losses resolves as the contract says', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 20 }), (steps) =>
        agreeWithModel(`org-${run++}`, steps, new Model(strictness === 'on')),
      ),
      { numRuns: runs(10) },
    );
  });

  async function agreeWithModel(organizationId: string, steps: readonly Step[], model: Model): Promise<void> {
    const sessions = service.app.get(SessionService);
    await service.dataSource.query(
      "INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'webchat', true)",
      [organizationId],
    );
    const keyOf = ({ id }: ModelSession) => `webchat:{${organizationId}}:session:${id}`;
    for (const taken of steps) {
      if (taken.call === 'create') {
        const expected = model.match(taken.user);
        const created = await sessions.create(organizationId, {
          organizationId,
          installedSourceId: 1,
          user: taken.user,
        });
        if (expected) {
          expect(created).toMatchObject({
            sessionId: expected.id,
            userId: expected.userId,
            conversationId: expected.conversationId,
          });
        } else {
          expectNew(model, taken.user, created);
        }
        const session = expected ?? remember(model, created);
        model.give(
          session,
          expected || taken.user.id !== undefined ? taken.user : { ...taken.user, id: created.userId },
        );
      } else if (taken.call === 'empty Redis') {
        await service.redis.flushdb();
        for (const session of model.sessions) session.live = false;
      } else {
        const session = model.sessions[taken.session];
        if (!session) continue;
        if (taken.call === 'refresh') {
          const outcome = await sessions.refresh(organizationId, session.id).then(
            () => true,
            () => false,
          );
          expect(outcome).toBe(session.live);
        } else {
          if (taken.call === 'lose') await service.redis.del(keyOf(session));
          else if (session.live) await expireSession(service, { organizationId }, session.id);
          session.live = false;
        }
      }
    }
    const stored: { id: string }[] = await service.dataSource.query(
      'SELECT id FROM webchat.conversation WHERE organization_id = $1',
      [organizationId],
    );
    expect(stored.map(({ id }) => id).sort()).toEqual([...model.conversationOfUser.values()].sort());
  }
});

type Created = Awaited<ReturnType<SessionService['create']>>;

function expectNew(model: Model, { id }: SentUser, { userId, sessionId, conversationId }: Created): void {
  expect(userId).toEqual(id ?? expect.stringMatching(/^Webchat-/));
  expect(model.sessions.map((session) => session.id)).not.toContain(sessionId);
  const earlier = model.conversationOfUser.get(userId);
  if (earlier) expect(conversationId).toBe(earlier);
  else expect([...model.conversationOfUser.values()]).not.toContain(conversationId);
}

function remember(model: Model, { userId, sessionId: id, conversationId }: Created): ModelSession {
  const session = { id, userId, conversationId, live: true, givenAt: new Map<string, number>() };
  model.sessions.push(session);
  model.conversationOfUser.set(userId, conversationId);
  return session;
}
