import { webchatClient } from '../src/clients';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { webchatGateway } from '@cxp/webchat-gateway/service';
import { readCommittedDocument } from './committed-document';
import { importRecords } from './import-records';

describe('the generated client of webchat-gateway', () => {
  let service: TestService;
  let caller: Caller;

  beforeAll(async () => {
    service = await startTestService(webchatGateway, webchatDatabase, {
      WEBCHAT_WEBSOCKET_URL: 'wss://webchat.test/sessions',
      WEBCHAT_SESSION_TOKEN_KEYS: 'current:0123456789abcdef0123456789abcdef',
    });
    caller = await service.caller();
    await importRecords(service, caller, [{ type: 'installed_source', data: { id: 1, name: 'Website' } }]);
  });

  afterAll(() => service.stop());

  it('creates a session and refreshes its token', async () => {
    const client = webchatClient({ url: service.url, ...caller });
    const { organizationId } = caller;

    const created = await client.POST('/external/sessions', {
      body: { organizationId, installedSourceId: 1, user: { id: 'customer-1' } },
    });
    expect(created.data).toMatchObject({ userId: 'customer-1' });

    const { sessionId } = created.data!;
    const refreshed = await client.POST('/external/sessions/refresh', { body: { sessionId } });
    expect(refreshed.data!.sessionTokenExpiration).toBeGreaterThanOrEqual(
      created.data!.sessionTokenExpiration,
    );
  });

  it('tells a problem as it is documented', async () => {
    const client = webchatClient({ url: service.url, ...caller, token: 'wrong' });
    const { error, response } = await client.POST('/external/sessions/refresh', { body: { sessionId: 'x' } });

    expect(response.status).toBe(401);
    expect(error).toEqual({ message: 'Unauthorized', statusCode: 401 });
  });

  it('is made from the document that the running service shows', async () => {
    const shown: unknown = await fetch(`${service.url}/docs/openapi.json`).then((answer) => answer.json());

    expect(shown).toEqual(readCommittedDocument('webchat-gateway'));
  });
});
