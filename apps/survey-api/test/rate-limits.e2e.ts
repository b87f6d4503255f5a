import { loadSettings } from '@cxp/service-kit';
import { SurveySettings } from '../src/settings';
import { TOO_MANY_REQUESTS, useSurvey } from './survey-service';

const survey = useSurvey({ EXTERNAL_SURVEY_PER_SEC_LIMIT: '2', EXTERNAL_SURVEY_PER_MIN_LIMIT: '3' });

describe('the rate limits of area C', () => {
  it('are 5 requests per second and 50 per minute unless they are configured', () => {
    const settings = loadSettings(SurveySettings, {
      DATABASE_URL: 'postgres://db/cxp',
      REDIS_URL: 'redis://cache',
    });
    expect(settings).toMatchObject({ EXTERNAL_SURVEY_PER_SEC_LIMIT: 5, EXTERNAL_SURVEY_PER_MIN_LIMIT: 50 });
    // Exports that begin in one second are not too many at once.
    expect(settings.SURVEY_EXPORTS_PER_ORGANIZATION).toBeGreaterThan(settings.EXTERNAL_SURVEY_PER_SEC_LIMIT);
  });

  it('answer 429 with the exact body, Retry-After and RateLimit-*, for each endpoint and organization', async () => {
    // The window of a second lasts for fifty: no test may depend on how fast it runs.
    await survey.service.redis.set(
      `rate-limit:{organization:${survey.caller.organizationId}:EXTERNAL_SURVEY_PER_SEC_LIMIT:CampaignController.list}:1`,
      0,
      'PX',
      50_000,
    );
    const first = await survey.listCampaigns().expect(200);
    expect(first.headers).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-remaining': '1',
      'ratelimit-policy': '2;w=1, 3;w=60',
    });
    await survey.listCampaigns().expect(200);
    const { body, headers } = await survey.listCampaigns().expect(429);
    expect(body).toEqual(TOO_MANY_REQUESTS);
    expect(headers).toMatchObject({ 'retry-after': '50', 'ratelimit-remaining': '0' });

    await (await survey.other()).listCampaigns().expect(200);
    await survey.createLink({ name: 'x' }).expect(404);
  });

  it('come after the permission: a call without it is a 403 however often it is made, and counts nothing', async () => {
    const { organizationId } = survey.caller;
    const denied = await survey.other({ organizationId, permissions: ['$survey_link:create'] });
    for (let i = 0; i < 5; i++) {
      const { headers } = await denied.listCampaigns().expect(403);
      expect(headers).toMatchObject({ 'ratelimit-remaining': '2', 'ratelimit-policy': '2;w=1, 3;w=60' });
    }
    const { headers } = await survey.listCampaigns().expect(200);
    expect(headers['ratelimit-remaining']).toBe('1');
  });
});
