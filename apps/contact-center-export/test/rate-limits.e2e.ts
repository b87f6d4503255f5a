import { ContactCenter, RATE_LIMITED, useContactCenter } from './contact-center-service';

const LIST = 'EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT:ConversationSessionController.list';
const GET = 'EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT:ConversationSessionController.get';

const area = useContactCenter({
  EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT: '2',
  EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT: '3',
  CHANGES_PER_SEC_LIMIT: '',
  CHANGES_PER_MIN_LIMIT: '',
});
beforeEach(() => area.newOrganization());

describe('the rate limits of area B', () => {
  it('answer 429 with the exact body, Retry-After and RateLimit-*', async () => {
    // The window of a second lasts for fifty: no test may depend on how fast it runs.
    await area.service.redis.set(windowKey(LIST, 1), 0, 'PX', 50_000);
    expect((await area.list().expect(200)).headers).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-policy': '2;w=1, 3;w=60',
    });
    await area.list().expect(200);
    const { body, headers } = await area.list().expect(429);
    expect(body).toEqual(RATE_LIMITED);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'retry-after': '50',
      'ratelimit-limit': '2',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '50',
      'ratelimit-policy': '2;w=1, 3;w=60',
    });
  });

  it('are one allowance for each endpoint and each organization, whatever the token', async () => {
    await useUp(LIST);
    const colleague = await area.service.caller({ organizationId: area.caller.organizationId });
    await area.list({}, colleague).expect(429);
    await area.list({}, await area.service.caller()).expect(200);
    await area.get('c').expect(404);
    await useUp(GET);
    expect((await area.get('c').expect(429)).body).toEqual(RATE_LIMITED);
  });

  it('of changes and digests are wider', async () => {
    for (const call of [area.listDigests(), area.listChanges()]) {
      expect((await call.expect(200)).headers['ratelimit-policy']).toBe('20;w=1, 1200;w=60');
    }
  });
});

it('the limits are 5 a second and 50 a minute unless configured', async () => {
  const unconfigured = new ContactCenter();
  await unconfigured.start({
    EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT: '',
    EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT: '',
  });
  const { headers } = await unconfigured.list();
  await unconfigured.service.stop();
  expect(headers['ratelimit-policy']).toBe('5;w=1, 50;w=60');
});

async function useUp(endpoint: string): Promise<void> {
  await area.service.redis.set(windowKey(endpoint, 60), 3, 'PX', 50_000);
}

function windowKey(endpoint: string, seconds: number): string {
  return `rate-limit:{organization:${area.caller.organizationId}:${endpoint}}:${seconds}`;
}
