import { imageEnvironment, type ServiceProcess } from '@cxp/local-servers';
import { issueTestToken, type Caller, type TestService } from '@cxp/service-kit/testing';
import { type HttpAnswer, send } from '@cxp/services/http';
import { contactCenter, startBuilt } from '@cxp/services/service-under-test';

/** With its own record ten thousand, which is the most that a conversation may have. Each is a session. */
const SESSIONS = 9_999;
/** As many calls as an organization may make at once. */
const AT_ONCE = 6;

const at = (second: number) => new Date(Date.UTC(2026, 0, 5) + second * 1_000).toISOString();

function recordsOf(id: string): object[] {
  const activities = Array.from({ length: SESSIONS }, (_, n) => ({
    type: 'activity',
    data: {
      id: `${id}-${n}`,
      conversationId: id,
      action: 'assign',
      occurredAt: at(n),
      agent: { accountId: n % 2, email: `agent${n % 2}@example.com`, name: 'Agent' },
    },
  }));
  // Each row repeats the customer.
  const customer = { name: 'ế'.repeat(255) };
  const closed = at(SESSIONS);
  const conversation = { id, createdAt: at(0), updatedAt: closed, closedAt: closed, customer };
  return [{ type: 'conversation', data: conversation }, ...activities];
}

describe('in the heap of the image, the largest conversations', () => {
  let databases: TestService;
  let service: ServiceProcess;
  let caller: Caller;

  beforeAll(async () => {
    databases = await contactCenter.startInProcess();
    const environment = { ...databases.environment, ...imageEnvironment(), LOG_LEVEL: 'warn' };
    service = await startBuilt(contactCenter, environment);
    caller = await issueTestToken(databases.dataSource);
    expect(await store(recordsOf('c-0'))).toMatchObject({ status: 200 });
  }, 60_000);

  afterAll(async () => {
    await service.stop();
    await databases.stop();
  });

  afterEach(async () => {
    const ready = await send(service.url, { method: 'GET', path: '/health/ready' }).catch(String);
    expect({ ready, output: service.output().slice(-500) }).toMatchObject({ ready: { status: 200 } });
  });

  async function store(records: readonly object[]): Promise<HttpAnswer> {
    return send(service.url, {
      method: 'POST',
      path: '/internal/records',
      headers: { ...caller.headers, 'content-type': 'application/x-ndjson' },
      body: records.map((record) => JSON.stringify(record)).join('\n'),
    });
  }

  function severalAtOnce(path: string): Promise<HttpAnswer[]> {
    const call = () => send(service.url, { method: 'GET', path, headers: caller.headers });
    return Promise.all(Array.from({ length: AT_ONCE }, call));
  }

  it('are answered with all rows, to several calls at once', async () => {
    for (const { status, body } of await severalAtOnce('/external/conversation-sessions/c-0')) {
      expect(status).toBe(200);
      expect((body as { items: unknown[] }).items).toHaveLength(SESSIONS);
    }
  }, 60_000);
});
