import { CxpClient, NotFoundError, UnauthorizedError } from '@cxp/client';
import { type Caller, type TestService } from '@cxp/service-kit/testing';
import { contactCenter, SERVICES, survey, webchat } from '@cxp/system-tests/service-under-test';
import { NOON } from '@cxp/system-tests/tenants';
import { importRecords } from '@cxp/system-tests/http';

const CAMPAIGN = 'f3b1c5de-2f7e-4c8e-9a53-5d0a6c3d1e42';

/** The client of integrators beside the services themselves. */
describe('the client', () => {
  const services = new Map<string, TestService>();
  const callers = new Map<string, Caller>();

  beforeAll(async () => {
    for (const { name, startInProcess } of SERVICES) {
      const service = await startInProcess();
      services.set(name, service);
      callers.set(name, await service.caller());
    }
  });

  afterAll(() => Promise.all([...services.values()].map((service) => service.stop())));

  const load = ({ name }: { name: string }, records: object[]) =>
    importRecords(services.get(name)!.url, callers.get(name)!, records);

  function clientOf({ name }: { name: string }, options: Partial<Caller> = {}): CxpClient {
    const { url } = services.get(name)!;
    return new CxpClient({
      ...callers.get(name)!,
      ...options,
      urls: { webchat: url, contactCenter: url, survey: url },
    });
  }

  it('creates a webchat session and refreshes its token', async () => {
    await load(webchat, [{ type: 'installed_source', data: { id: 1, name: 'Website' } }]);
    const { sessions } = clientOf(webchat);
    const created = await sessions.create({ installedSourceId: 1, user: { id: 'customer-1' } });
    expect(created.userId).toBe('customer-1');
    const refreshed = await sessions.refresh(created.sessionId);
    expect(refreshed.sessionTokenExpiration).toBeGreaterThanOrEqual(created.sessionTokenExpiration);
    await expect(clientOf(webchat, { token: 'wrong' }).sessions.refresh('x')).rejects.toThrow(
      UnauthorizedError,
    );
  });

  it('lists the conversation sessions of a day and finds those of one conversation', async () => {
    const agent = { accountId: 7, email: 'an@example.com', name: 'An' };
    await load(contactCenter, [
      { type: 'conversation', data: { id: 'c-1', createdAt: NOON, updatedAt: NOON } },
      {
        type: 'activity',
        data: { id: 'a-1', conversationId: 'c-1', action: 'assign', occurredAt: NOON, agent },
      },
    ]);
    const { conversationSessions } = clientOf(contactCenter);
    const listed = await conversationSessions.page({ startDate: '2026-01-05', endDate: '2026-01-05' });
    expect(listed).toMatchObject({ total: 1, items: [{ sessionAgentEmail: 'an@example.com' }] });
    expect(await conversationSessions.ofConversation('c-1')).toEqual(listed.items);
    await expect(conversationSessions.ofConversation('unknown')).rejects.toMatchObject({
      constructor: NotFoundError,
      body: { detail: { message: 'Conversation with id unknown was not found' } },
    });
  });

  it('lists survey campaigns, creates a link and exports responses', async () => {
    await load(survey, [
      {
        type: 'survey_campaign',
        data: { id: CAMPAIGN, name: 'After the visit', status: 'active', survey_questions: [] },
      },
    ]);
    const { surveyCampaigns, surveyLinks, surveyResponses } = clientOf(survey);
    const { items } = await surveyCampaigns.page({ search: 'visit' });
    expect(items).toMatchObject([{ id: CAMPAIGN, name: 'After the visit' }]);
    const link = await surveyLinks.create(CAMPAIGN, { name: 'Front door' });
    expect(link).toMatchObject({ name: 'Front door', metadata_mapping: [] });
    const { text } = await surveyResponses.exportText({
      survey_campaign_id: CAMPAIGN,
      start_date: '2026-01-01',
      end_date: '2026-01-31',
    });
    expect(text).toMatch(/^Response ID\tTimestamp sent/);
    await expect(clientOf(survey, { token: 'wrong' }).surveyCampaigns.page()).rejects.toThrow(
      UnauthorizedError,
    );
  });
});
