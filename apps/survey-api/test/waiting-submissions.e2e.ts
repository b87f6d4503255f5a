import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { withIntakeTurn } from '@cxp/record-intake';
import { eventually, type TestService } from '@cxp/service-kit/testing';
import { ResponseDraftRepository } from '../src/submissions/response-draft.repository';
import { WaitingSubmissionRepository } from '../src/submissions/waiting-submission.repository';
import { responseRecord } from './records';
import { LinkedCampaign, startSurveyWithPages } from './survey-page';
import { importRecords, startSurvey } from './survey-service';

let service: TestService;
let campaign: LinkedCampaign;
let identifier: string;

beforeAll(async () => {
  service = await startSurveyWithPages();
});
beforeEach(async () => {
  campaign = await LinkedCampaign.create(service);
  identifier = await campaign.newIdentifier();
});
afterAll(() => service.stop());

const idOf = (sealed: string) => sealed.split('.')[0]!;

/** Runs work while an intake of the organization goes on. */
function duringIntake(work: () => Promise<void>, organizationId = campaign.caller.organizationId) {
  return withIntakeTurn(service.dataSource, 'survey', organizationId, work, { turnMs: 0, lockMs: 0 });
}

function count(table: string): Promise<number> {
  return service.dataSource
    .query<[{ rows: number }]>(`SELECT count(*)::int AS rows FROM survey.${table}`)
    .then(([{ rows }]) => rows);
}

async function changes(): Promise<{ op: string; key: { identifier: string } }[]> {
  const { body } = await request(service.url)
    .get('/external/survey-response-changes')
    .set(campaign.caller.headers)
    .expect(200);
  return (body as { items: { op: string; key: { identifier: string } }[] }).items;
}

const submitting = (answers: object, state = 'answered', target = campaign, one = identifier) =>
  target.submitJson({ identifier: one, state, answers }).expect(200, { identifier: one, state });

describe('while a long intake of the organization goes on', () => {
  it('submits are accepted, and are responses as soon as it is over', async () => {
    const others = await Promise.all(Array.from({ length: 30 }, () => campaign.newIdentifier()));
    await duringIntake(async () => {
      await Promise.all([
        submitting({}, 'opened'),
        ...others.map((other) => submitting({ '5': 'other' }, 'answered', campaign, other)),
      ]);
      await submitting({ '5': 'typed' }, 'draft');
      await Promise.all([submitting({ '5': 'sent' }), submitting({}, 'opened')]);
      expect(await campaign.responses()).toEqual([]);
      expect(await count('waiting_submission')).toBe(32);
    });
    await eventually(async () => (await campaign.responses()).length === 31);
    const responses = await campaign.responses();
    const mine = responses.find((response) => response.identifier === idOf(identifier));
    expect(mine).toMatchObject({ answers: { '5': 'sent' }, source: 'Anonymous Link' });
    expect(String(mine!.opened_timestamp) < String(mine!.answered_timestamp)).toBe(true);
    expect((await changes()).map(({ key }) => key.identifier).sort()).toEqual(
      [identifier, ...others].map(idOf).sort(),
    );
    expect(await campaign.exported()).toHaveLength(31);
    expect([await count('waiting_submission'), await count('response_draft')]).toEqual([0, 0]);
  });

  it('the first answer counts, also when the second is sent after the intake', async () => {
    await duringIntake(async () => {
      await submitting({ '5': 'first' });
      await submitting({ '5': 'second' });
    });
    await submitting({ '5': 'third' });
    await eventually(async () => (await count('waiting_submission')) === 0);
    expect(await campaign.responses()).toMatchObject([{ answers: { '5': 'first' } }]);
  });

  it('a submit waits for an intake that ends soon, and is a response when it is answered', async () => {
    let submit: Promise<unknown> | undefined;
    await duringIntake(async () => {
      submit = submitting({ '5': 'x' }).then(() => undefined);
      await eventually(async () => (await count('waiting_submission')) === 1);
    });
    await submit;
    expect(await campaign.responses()).toHaveLength(1);
  });

  it('submits of other organizations are responses at once', async () => {
    const other = await LinkedCampaign.create(service);
    const identifiers = await Promise.all(Array.from({ length: 10 }, () => other.newIdentifier()));
    await duringIntake(async () => {
      const held = Promise.all([submitting({ '5': 'held' })]);
      await Promise.all(identifiers.map((one) => submitting({ '5': 'free' }, 'answered', other, one)));
      expect(await other.responses()).toHaveLength(10);
      await held;
    });
  });

  it('a removal also removes what waits', async () => {
    await duringIntake(() => submitting({ '5': 'x' }).then(() => undefined));
    await importRecords(service, campaign.caller, ['survey_response', responseRecord()]);
    const { organizationId } = campaign.caller;
    const waiting = new WaitingSubmissionRepository(service.dataSource.manager);
    await eventually(async () => (await count('waiting_submission')) === 0);
    await waiting.insertAll([
      {
        organizationId,
        identifier: idOf(identifier),
        state: 'answered',
        campaignId: campaign.campaignId,
        publicId: campaign.publicId,
        answers: { '5': 'late' },
        submittedAt: new Date(),
      },
    ]);
    await removeResponse();
    expect(await count('waiting_submission')).toBe(0);
    expect(await campaign.responses()).toEqual([]);
  });
});

async function removeResponse(): Promise<void> {
  const removal = { type: 'survey_response', op: 'delete', data: { identifier: idOf(identifier) } };
  await request(service.url)
    .post('/internal/records')
    .set(campaign.caller.headers)
    .set('content-type', 'application/x-ndjson')
    .send(JSON.stringify(removal))
    .expect(200, { accepted: 1 });
}

it('a locked row of one organization does not make submits of any fail', async () => {
  const other = await LinkedCampaign.create(service);
  const [one] = await Promise.all([other.newIdentifier()]);
  await submitting({ '5': 'numbered' });
  const next = await campaign.newIdentifier();
  await service.dataSource.transaction(async (manager) => {
    await manager.query('SELECT FROM survey.change_feed WHERE organization_id = $1 FOR UPDATE', [
      campaign.caller.organizationId,
    ]);
    await Promise.all([
      submitting({ '5': 'locked' }, 'answered', campaign, next),
      submitting({ '5': 'x' }, 'answered', other, one),
    ]);
  });
  await eventually(async () => (await campaign.responses()).length === 2);
  expect(await other.responses()).toHaveLength(1);
});

it('the removal of a response removes its draft, and that of no other organization', async () => {
  await submitting({ '5': 'typed' }, 'draft');
  const drafts = new ResponseDraftRepository(service.dataSource.manager);
  await drafts.store('another organization', {
    identifier: idOf(identifier),
    campaignId: randomUUID(),
    answers: {},
  });
  await removeResponse();
  const left: unknown[] = await service.dataSource.query('SELECT organization_id FROM survey.response_draft');
  expect(left).toEqual([{ organization_id: 'another organization' }]);
});

it('a response that was removed and is sent again is in the changes once', async () => {
  await submitting({}, 'opened');
  await removeResponse();
  expect(await changes()).toMatchObject([]);
  await submitting({ '5': 'again' });
  expect(await changes()).toMatchObject([{ op: 'upsert', key: { identifier: idOf(identifier) } }]);
});

it('a service without pages merges what a killed process left, and prunes drafts', async () => {
  const { organizationId } = campaign.caller;
  await new WaitingSubmissionRepository(service.dataSource.manager).insertAll([
    {
      organizationId,
      identifier: idOf(identifier),
      state: 'answered',
      campaignId: campaign.campaignId,
      publicId: campaign.publicId,
      answers: { '5': 'left behind' },
      submittedAt: new Date('2026-01-05T02:11:09.123Z'),
    },
  ]);
  const old = { identifier: randomUUID(), campaignId: randomUUID(), answers: {} };
  await new ResponseDraftRepository(service.dataSource.manager).store('old', old);
  await service.dataSource.query(`UPDATE survey.response_draft SET saved_at = now() - interval '8 days'`);
  const { DATABASE_URL, REDIS_URL } = service.environment;
  const withoutPages = await startSurvey({ DATABASE_URL: DATABASE_URL!, REDIS_URL: REDIS_URL! });
  await eventually(async () => (await count('waiting_submission')) + (await count('response_draft')) === 0);
  await withoutPages.stop();
  expect(await changes()).toMatchObject([
    { row: { answers: { '5': 'left behind' }, answered_timestamp: '2026-01-05T02:11:09.123Z' } },
  ]);
});
