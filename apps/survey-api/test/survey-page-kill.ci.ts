import { setTimeout as sleep } from 'node:timers/promises';
import { startService, type ServiceProcess } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { LinkedCampaign, PAGE_SETTINGS } from './survey-page';
import { useSurvey } from './survey-service';

/** Kills at different points of what is under way; each must leave whole responses only. */
const KILLS_AFTER_MS = [5, 20, 45, 80, 130];
const SUBMITS = 40;

const survey = useSurvey(PAGE_SETTINGS);

const answersOf = (n: number) => ({ '5': `answer ${n}`, '4': { '41': 1, '42': 2 } });
const formOf = (n: number) => ({ q5: `answer ${n}`, 'q4.41': '1', 'q4.42': '2' });

it.each(KILLS_AFTER_MS)(
  'a process that is killed %i ms into many submits leaves each stored whole, or not at all',
  async (milliseconds) => {
    const campaign = await LinkedCampaign.create(survey.service);
    const identifiers = await Promise.all(Array.from({ length: SUBMITS }, () => campaign.newIdentifier()));
    const victim: ServiceProcess = await startService({
      entry: 'dist/apps/survey-api/main.js',
      env: survey.service.environment,
      portVariable: 'SURVEY_PORT',
    });
    const elsewhere = campaign.at(victim);
    const acknowledged: string[] = [];
    const submits = identifiers.map(async (identifier, n) => {
      const answer = await elsewhere.submitForm({ identifier, ...formOf(n) });
      if (answer.status === 200) acknowledged.push(identifier);
    });
    await sleep(milliseconds);
    victim.signal('SIGKILL');
    await victim.exited;
    await Promise.allSettled(submits);
    // PostgreSQL notices that the connections are gone.
    await eventually(async () => {
      const open: unknown[] = await survey.service.dataSource.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()`,
      );
      return open.length === 0;
    });

    const responses = await campaign.responses();
    const stored = new Map(responses.map((response) => [String(response.identifier), response]));
    for (const identifier of acknowledged) expect(stored.has(identifier)).toBe(true);
    for (const [n, identifier] of identifiers.entries()) {
      const response = stored.get(identifier);
      if (response)
        expect(response).toMatchObject({ answers: answersOf(n), answered_timestamp: expect.any(String) });
    }
    // The counts of the pages of C2 agree with what is stored.
    expect(await campaign.exported()).toHaveLength(stored.size);

    // Whoever was cut off sends again, and everything is there, once.
    await Promise.all(
      identifiers.map((identifier, n) => campaign.submitForm({ identifier, ...formOf(n) }).expect(200)),
    );
    expect((await campaign.responses()).map((response) => response.identifier).sort()).toEqual(
      identifiers.sort(),
    );
  },
  60_000,
);
