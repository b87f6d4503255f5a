import { imageEnvironment, type ServiceProcess } from '@cxp/testing/local-servers';
import { issueTestToken, type Caller, type TestService } from '@cxp/service-kit/testing';
import { type HttpAnswer, postRecords, send } from '../src/http';
import { contactCenter, startBuilt } from '../src/service-under-test';
import { largestSchedule } from '../src/workloads';

/** So many are removed by one body. */
const REMOVED = 20;
/** With its own record ten thousand, which is the most that a conversation may have. Each is a session. */
const SESSIONS = 9_999;
/** As many calls as an organization may make at once. */
const AT_ONCE = 6;

const EVER = 'startDate=2026-01-01&endDate=2026-12-31';

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
  const updatedAt = at(SESSIONS);
  // Each figure of a resolution lists a thousand intervals.
  const conversation = { id, createdAt: at(0), updatedAt, closedAt: '2199-01-01T00:00:00Z', customer };
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
    await store(recordsOf('c-0'));
  });

  afterAll(async () => {
    await service.stop();
    await databases.stop();
  });

  afterEach(async () => {
    const ready = await send(service.url, { method: 'GET', path: '/health/ready' }).catch(String);
    expect({ ready, output: service.output().slice(-500) }).toMatchObject({ ready: { status: 200 } });
  });

  /** However long it takes: what is stored and removed here is as much as a body may change. */
  async function store(records: readonly object[]): Promise<void> {
    const { path, ...request } = postRecords(caller, records);
    expect((await fetch(`${service.url}${path}`, request)).status).toBe(200);
  }

  function severalAtOnce(path: string, body?: string): Promise<HttpAnswer[]> {
    const headers = { ...caller.headers, ...(body && { 'content-type': 'application/json' }) };
    const call = () => send(service.url, { method: body ? 'POST' : 'GET', path, headers, body });
    return Promise.all(Array.from({ length: AT_ONCE }, call));
  }

  it('are answered with all rows, to several calls at once', async () => {
    for (const { status, body } of await severalAtOnce('/external/conversation-sessions/c-0')) {
      expect(status).toBe(200);
      expect((body as { items: unknown[] }).items).toHaveLength(SESSIONS);
    }
  });

  it('are explained with the largest schedule, to one call at once: the first hundred rows', async () => {
    const path = '/external/conversation-sessions/c-0/explanation?timezone=Europe/Paris';
    const answers = await severalAtOnce(path, JSON.stringify({ humanSchedule: largestSchedule() }));
    const explained = answers.filter(({ status }) => status !== 429);
    expect(explained.length).toBeGreaterThanOrEqual(1);
    for (const { status, body } of explained) {
      expect(status).toBe(200);
      const { rows, truncated } = body as { rows: unknown[]; truncated: boolean };
      expect({ rows: rows.length, truncated }).toEqual({ rows: 100, truncated: true });
    }
    const [last] = await severalAtOnce(`${path}&sessionIndex=${SESSIONS - 1}`);
    expect(last!.body).toMatchObject({ rows: [{ sessionIndex: SESSIONS - 1 }] });
  }, 120_000);

  it.each([
    ['/external/conversation-sessions/c-0/explanation?timezone=Europe/Berlin'],
    [`/external/conversation-sessions?timezone=Europe/Rome&${EVER}`],
    ['/external/conversation-session-changes?timezone=Europe/Madrid'],
  ])('are answered to the first call that needs business hours of 170 years: %s', async (path) => {
    await store([{ type: 'human_schedule', data: largestSchedule() }]);
    const { status } = await send(service.url, { method: 'GET', path, headers: caller.headers });
    expect(status).toBe(200);
  });

  it('are removed by one body, however many', async () => {
    // The first one is there already.
    for (let n = 1; n < REMOVED; n += 1) await store(recordsOf(`c-${n}`));
    const removals = Array.from({ length: REMOVED }, (_, n) => ({
      ...{ type: 'conversation', op: 'delete' },
      data: { id: `c-${n}` },
    }));
    await store(removals);
    const [{ rows }] = await databases.dataSource.query(
      'SELECT count(*)::integer AS rows FROM contact_center.conversation_session',
    );
    expect(rows).toBe(0);
  }, 300_000);
});
