import { issueTestToken, startTestService, type TestService } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { webchat } from '../src/service-under-test';
import { importRecords, postJson } from '../src/workloads';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { AppModule as WebchatModule } from '@cxp/webchat-gateway/app.module';

const OLD = `old:${'o'.repeat(32)}`;
const NEW = `new:${'n'.repeat(32)}`;

/** The recipe of docker/threat-model.md, one deployment after the other. */
const RECIPE = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW];

let first: TestService;
const started: TestService[] = [];

beforeAll(async () => {
  first = await start(OLD);
});
afterEach(async () => {
  await Promise.all(started.splice(0).map((service) => service.stop()));
});
afterAll(() => first.stop());

function start(keys: string, stores?: TestService): Promise<TestService> {
  const { DATABASE_URL = '', REDIS_URL = '' } = stores?.environment ?? {};
  return startTestService(WebchatModule, webchatDatabase, {
    ...webchat.settings,
    ...(stores && { DATABASE_URL, REDIS_URL }),
    WEBCHAT_SESSION_TOKEN_KEYS: keys,
  });
}

/** A process of a deployment, over the stores of all. */
async function deploy(keys: string): Promise<TestService> {
  const service = await start(keys, first);
  started.push(service);
  return service;
}

interface Session {
  readonly sessionToken: string;
  readonly conversationId: string;
}

async function newSession({ url }: TestService): Promise<Session> {
  const caller = await issueTestToken(first.dataSource);
  await importRecords(url, caller, [{ type: 'installed_source', data: { id: 1, name: 'Website' } }]);
  const { organizationId } = caller;
  const body = { organizationId, installedSourceId: 1, user: { id: 'An' } };
  return (await send(url, postJson('/external/sessions', caller, body))).body as Session;
}

async function accepts({ url }: TestService, { sessionToken, conversationId }: Session): Promise<boolean> {
  const { status } = await send(url, {
    method: 'GET',
    path: `/external/conversations/${conversationId}/events`,
    headers: { authorization: `Bearer ${sessionToken}` },
  });
  expect([200, 401]).toContain(status);
  return status === 200;
}

describe('rotating WEBCHAT_SESSION_TOKEN_KEYS', () => {
  it.each(RECIPE.slice(1).map((keys, step) => [RECIPE[step]!, keys]))(
    'from %s to %s: while both are deployed, each accepts the tokens of the other',
    async (before, after) => {
      const both = await Promise.all([deploy(before), deploy(after)]);
      for (const issuer of both) {
        const session = await newSession(issuer);
        for (const service of both) expect(await accepts(service, session)).toBe(true);
      }
    },
  );

  it('signs with the new key from the third deployment on, and refuses the old one from the fourth on', async () => {
    const [old, second, third, fourth] = await Promise.all(RECIPE.map(deploy));
    const [byOld, bySecond, byThird] = await Promise.all([old!, second!, third!].map(newSession));
    expect(
      await Promise.all([byOld!, bySecond!, byThird!].map((session) => accepts(fourth!, session))),
    ).toEqual([false, false, true]);
  });

  it('in one deployment would refuse tokens of live sessions', async () => {
    const both = await Promise.all([deploy(OLD), deploy(NEW)]);
    expect(await accepts(both[1], await newSession(both[0]))).toBe(false);
  });
});
