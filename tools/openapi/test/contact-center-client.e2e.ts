import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { contactCenterExport } from '@cxp/contact-center-export/service';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { contactCenterClient } from '../src/clients';
import { readCommittedDocument } from './committed-document';
import { importRecords } from './import-records';

const conversation = {
  id: 'c-1',
  createdAt: '2026-01-05T02:00:00.000Z',
  updatedAt: '2026-01-05T03:00:00.000Z',
  closedAt: null,
  customer: { name: 'Hoa' },
};
const assignment = {
  id: 'a-1',
  conversationId: 'c-1',
  action: 'assign',
  occurredAt: '2026-01-05T02:05:00.000Z',
  agent: { accountId: 7, email: 'an@example.com', name: 'An' },
};

describe('the generated client of contact-center-export', () => {
  let service: TestService;
  let caller: Caller;

  beforeAll(async () => {
    service = await startTestService(contactCenterExport, contactCenterDatabase, {});
    caller = await service.caller();
    await importRecords(service, caller, [
      { type: 'conversation', data: conversation },
      { type: 'activity', data: assignment },
    ]);
  });

  afterAll(() => service.stop());

  it('lists the sessions of a day and finds those of one conversation', async () => {
    const client = contactCenterClient({ url: service.url, ...caller });
    const listed = await client.GET('/external/conversation-sessions', {
      params: { query: { startDate: '2026-01-05', endDate: '2026-01-05' } },
    });
    expect(listed.data).toMatchObject({ total: 1, items: [{ sessionAgentEmail: 'an@example.com' }] });

    const found = await client.GET('/external/conversation-sessions/{conversationId}', {
      params: { path: { conversationId: 'c-1' } },
    });
    expect(listed.data).toMatchObject({ items: found.data!.items });
  });

  it('tells a problem as it is documented', async () => {
    const client = contactCenterClient({ url: service.url, ...caller });
    const { error, response } = await client.GET('/external/conversation-sessions/{conversationId}', {
      params: { path: { conversationId: 'unknown' } },
    });

    expect(response.status).toBe(404);
    expect(error).toEqual({ detail: { message: 'Conversation with id unknown was not found' } });
  });

  it('is made from the document that the running service shows', async () => {
    const shown: unknown = await fetch(`${service.url}/docs/openapi.json`).then((answer) => answer.json());

    expect(shown).toEqual(readCommittedDocument('contact-center-export'));
  });
});
