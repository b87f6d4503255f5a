import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { organizationLock } from '@cxp/records';
import { REAL_DEADLINE_MS, statusInTime } from '@cxp/service-kit/testing';
import { surveyDatabase } from '../src/database';
import { LinkService } from '../src/links/link.service';
import { ResponseExportService } from '../src/response-export/response-export.service';
import { SurveyPageService } from '../src/survey-pages/survey-page.service';
import { campaignRecord } from './records';
import { PAGE_SETTINGS } from './survey-page';
import { EXPORT, linksOf, useSurvey } from './survey-service';

const survey = useSurvey({ ...PAGE_SETTINGS, CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS) });

const never = () => new Promise<never>(() => undefined);

function post(path: string, type: string, body: string) {
  return () =>
    fetch(survey.service.url + path, {
      method: 'POST',
      headers: { ...survey.caller.headers, ...(type && { 'content-type': type }) },
      body,
    });
}

it.each([
  [linksOf(randomUUID()), 'application/json', '{"name":"a"}'],
  ['/s/a/responses', 'application/x-www-form-urlencoded', 'identifier=a'],
  [`${EXPORT}?survey_campaign_id=${randomUUID()}&start_date=2026-01-01&end_date=2026-01-31`, '', ''],
])('POST %s that is handled too slowly is 503 in time', async (path, type, body) => {
  jest.spyOn(survey.service.app.get(LinkService), 'findOrCreate').mockImplementation(never);
  jest.spyOn(survey.service.app.get(SurveyPageService), 'submit').mockImplementation(never);
  jest.spyOn(survey.service.app.get(ResponseExportService), 'open').mockImplementation(never);
  expect(await statusInTime(post(path, type, body))).toEqual({ status: 503, isInTime: true });
});

it('an intake whose turn does not come is 503 within five seconds, and stores nothing later', async () => {
  const runner = survey.service.dataSource.createQueryRunner();
  await runner.startTransaction();
  await runner.query(`SELECT ${organizationLock(surveyDatabase.name, `'${survey.caller.organizationId}'`)}`);
  const record = JSON.stringify({ type: 'survey_campaign', data: campaignRecord() });
  const call = post('/internal/records', 'application/x-ndjson', record);
  expect(await statusInTime(call, 5_000)).toEqual({ status: 503, isInTime: true });
  await runner.rollbackTransaction();
  await runner.release();
  await sleep(500);
  expect((await survey.listCampaigns().expect(200)).body.total).toBe(0);
});
