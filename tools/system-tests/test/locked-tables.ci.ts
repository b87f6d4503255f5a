import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { eventually, issueTestToken, REAL_DEADLINE_MS, type TestService } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { send, type HttpAnswer, type HttpRequest, postJson } from '../src/http';
import { KNOWN_ROUTES, routeName, soundRequest, wordingOf } from '../src/known-routes';
import { contactCenter, survey, webchat, type ServiceUnderTest } from '../src/service-under-test';
import { createTenant, type Tenant } from '../src/tenants';

/** One organization calls the locked table by more calls at once than the pool has connections. */
const CALLS_AT_ONCE = 24;
/** Longer than a request may wait. */
const LOCKED_MS = 2_500;
const LEAST_ROUNDS = 10;
const LATE_MS = 200;

interface Case {
  readonly service: ServiceUnderTest;
  readonly table: string;
  /** A route that needs the table. */
  readonly needs: string;
  /** Routes that do not. */
  readonly others: readonly string[];
}

/** Of a link. Respondents have no token. */
const PAGE = 'GET /s/{publicId}';
const LINKS = 'POST /external/survey-campaigns/{survey_campaign_id}/links';
const EXPORT = 'POST /external/survey-responses/export';
const SESSIONS = 'GET /external/conversation-sessions';
const CAMPAIGNS = 'GET /external/survey-campaigns';
/** A token is known for four seconds after it was looked up: then its caller needs no table of tokens. */
const TOKENS = 'access.api_token';

const CASES: readonly Case[] = [
  {
    service: webchat,
    table: 'webchat.event',
    needs: 'POST /internal/conversations/{conversationId}/messages',
    others: ['POST /external/sessions', 'POST /external/sessions/refresh'],
  },
  { service: webchat, table: 'webchat.conversation', needs: 'POST /external/sessions', others: [] },
  {
    service: contactCenter,
    table: 'contact_center.record',
    needs: 'POST /internal/records',
    others: [SESSIONS],
  },
  {
    service: survey,
    table: 'survey.link',
    needs: LINKS,
    others: [CAMPAIGNS, 'GET /external/survey-responses', EXPORT],
  },
  { service: survey, table: 'survey.link', needs: PAGE, others: [CAMPAIGNS] },
  { service: survey, table: 'survey.metadata_field', needs: LINKS, others: [CAMPAIGNS] },
  { service: survey, table: 'survey.bucket', needs: EXPORT, others: [CAMPAIGNS] },
  {
    service: webchat,
    table: TOKENS,
    needs: 'POST /external/sessions',
    others: ['POST /external/sessions/refresh'],
  },
  { service: contactCenter, table: TOKENS, needs: SESSIONS, others: [SESSIONS] },
  { service: survey, table: TOKENS, needs: CAMPAIGNS, others: [CAMPAIGNS] },
];

describe.each(CASES)(
  '$service.name, while $table is locked, which calls of $needs need',
  ({ service, table, needs, others }) => {
    const routes = KNOWN_ROUTES.filter((route) => route.service === service);
    const routesOf = (names: readonly string[]) =>
      routes.filter((route) => names.includes(`${route.method} ${route.path}`));
    const [needing] = routesOf([needs]);
    let running: TestService;
    let victim: Tenant;
    let other: Tenant;
    let request: HttpRequest;
    let lock: QueryRunner;

    beforeAll(async () => {
      running = await service.startInProcess({ CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS) });
      [victim, other] = [await newTenant(), await newTenant()];
      request = needing ? soundRequest(needing, victim) : { method: 'GET', path: await pathOfPage() };
      lock = running.dataSource.createQueryRunner();
      await lock.connect();
    });

    afterAll(async () => {
      await lock.release();
      await running.stop();
    });

    /** With a token that was not looked up yet. */
    async function newTenant(): Promise<Tenant> {
      const tenant = await createTenant(service, running.url, running.dataSource);
      const { organizationId } = tenant.caller;
      return { ...tenant, caller: await issueTestToken(running.dataSource, { organizationId }) };
    }

    async function pathOfPage(): Promise<string> {
      const path = `/external/survey-campaigns/${victim.campaignId}/links`;
      const { body } = await send(running.url, postJson(path, victim.caller, { name: 'page' }));
      return `/s/${(body as { public_id: string }).public_id}`;
    }

    async function whileLocked(use: () => Promise<void>): Promise<void> {
      await lock.startTransaction();
      try {
        await lock.query(`LOCK TABLE ${table}`);
        await use();
      } finally {
        await lock.rollbackTransaction();
      }
    }

    async function callOthers(): Promise<HttpAnswer[]> {
      const called = routesOf(others);
      expect(called.map(routeName)).toHaveLength(others.length);
      return Promise.all(called.map((route) => send(running.url, soundRequest(route, other))));
    }

    async function isReady(): Promise<boolean> {
      return (await send(running.url, { method: 'GET', path: '/health/ready' })).status === 200;
    }

    /** Of timers, and of statements that wait for nothing, while something is done: what the machine adds at most, in milliseconds. */
    async function latenessDuring(work: Promise<unknown>): Promise<number> {
      let isDone = false;
      const end = () => (isDone = true);
      void work.then(end, end);
      let latest = 0;
      do {
        const start = performance.now();
        await Promise.all([sleep(50), lock.query('SELECT 1')]);
        latest = Math.max(latest, performance.now() - start - 50);
      } while (!isDone);
      return latest;
    }

    /** While the lock is still held: nothing but a cancelled statement has stopped waiting for it. */
    async function expectNoneWaiting(): Promise<void> {
      let waiting: string[] = [];
      await eventually(
        async () => (waiting = await statementsThatWait(running.dataSource)).length === 0,
      ).catch(() => undefined);
      expect(waiting).toEqual([]);
    }

    it('who needs it gets a 503, everybody else is served, and the service is ready', async () => {
      await callOthers();
      await whileLocked(async () => {
        let isOver = false;
        const stuck = Array.from({ length: CALLS_AT_ONCE }, async () => {
          const answers: HttpAnswer[] = [];
          while (!isOver) answers.push(await send(running.url, request));
          return answers;
        });
        const start = performance.now();
        const statuses = new Set<number | string>();
        let rounds = 0;
        do {
          const round = Promise.all([callOthers(), isReady()]);
          const late = await latenessDuring(round);
          const [answers, ready] = await round;
          // Processes that have no time for these have none for requests, either.
          if (late > LATE_MS && table !== TOKENS) continue;
          rounds++;
          for (const { status } of answers) statuses.add(status);
          statuses.add(ready ? 'ready' : 'not ready');
        } while (table !== TOKENS && (performance.now() - start < LOCKED_MS || rounds < LEAST_ROUNDS));
        isOver = true;
        const unavailable = needing && wordingOf(needing).unavailable;
        for (const { status, body } of (await Promise.all(stuck)).flat()) {
          // An organization has eight intakes at once.
          if (status !== 429) expect({ status, body }).toEqual({ status: 503, body: unavailable });
        }
        expect([...statuses].filter((status) => status !== 200 && status !== 201)).toEqual(['ready']);
        await expectNoneWaiting();
      });
      expect([200, 201]).toContain((await send(running.url, request)).status);
    }, 180_000);
  },
);
