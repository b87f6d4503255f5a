import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryRunner } from 'typeorm';
import { eventually, issueTestToken, REAL_DEADLINE_MS, type TestService } from '@cxp/service-kit/testing';
import { send, type HttpAnswer } from '../src/http';
import { headersOf, routeName, signed, type UnsignedRequest } from '../src/known-route';
import { KNOWN_ROUTES } from '../src/known-routes';
import {
  contactCenter,
  INTERNAL_WORDING,
  survey,
  webchat,
  type ServiceUnderTest,
} from '../src/service-under-test';
import { createTenant, type Tenant } from '../src/tenants';
import { postJson } from '../src/workloads';
import { statementsThatWait } from '@cxp/testing';

/** One organization calls the locked table by more calls at once than the pool has connections. */
const VICTIMS = 1;
const CALLS_AT_ONCE = 24;
/** Longer than a request may wait. */
const LOCKED_MS = 2_500;
const LEAST_ROUNDS = 10;
const LATE_MS = 200;

interface Case {
  readonly service: ServiceUnderTest;
  readonly table: string;
  /** Respondents have no token. */
  readonly callers: 'organizations' | 'respondents';
  /** Needs the table. */
  readonly needs: (tenant: LinkedTenant) => UnsignedRequest & { readonly method: string };
  /** The JSON of a 503; undefined for a page. */
  readonly unavailable: object | undefined;
  /** Do not need it. */
  readonly others: readonly string[];
}

interface LinkedTenant extends Tenant {
  /** Of a link of its campaign, if it has one. */
  readonly publicId?: string;
}

const CASES: readonly Case[] = [
  {
    service: webchat,
    table: 'webchat.event',
    callers: 'organizations',
    needs: ({ conversationId }) => ({
      method: 'POST',
      path: `/internal/conversations/${conversationId}/messages`,
      contentType: 'application/json',
      body: JSON.stringify({ id: randomUUID(), senderType: 'agent', text: 'Hello' }),
    }),
    unavailable: INTERNAL_WORDING.unavailable,
    others: ['POST /external/sessions', 'POST /external/sessions/refresh'],
  },
  {
    service: webchat,
    table: 'webchat.conversation',
    callers: 'organizations',
    needs: ({ caller, installedSourceId, mark }) => ({
      method: 'POST',
      path: '/external/sessions',
      contentType: 'application/json',
      body: JSON.stringify({
        organizationId: caller.organizationId,
        installedSourceId,
        user: { id: randomUUID(), name: mark },
      }),
    }),
    unavailable: webchat.unavailable,
    others: [],
  },
  {
    service: contactCenter,
    table: 'contact_center.record',
    callers: 'organizations',
    needs: ({ conversationId, mark }) => ({
      method: 'POST',
      path: '/internal/records',
      contentType: 'application/x-ndjson',
      body: JSON.stringify({
        type: 'message',
        data: { id: mark, conversationId, senderType: 'agent', sentAt: '2026-01-05T05:00:00.000Z' },
      }),
    }),
    unavailable: INTERNAL_WORDING.unavailable,
    others: ['GET /external/conversation-sessions'],
  },
  {
    service: survey,
    table: 'survey.link',
    callers: 'organizations',
    needs: ({ campaignId }) => ({
      method: 'POST',
      path: `/external/survey-campaigns/${campaignId}/links`,
      contentType: 'application/json',
      body: JSON.stringify({ name: 'locked' }),
    }),
    unavailable: survey.unavailable,
    others: [
      'GET /external/survey-campaigns',
      'GET /external/survey-responses',
      'POST /external/survey-responses/export',
    ],
  },
  {
    service: survey,
    table: 'survey.link',
    callers: 'respondents',
    needs: ({ publicId }) => ({ method: 'GET', path: `/s/${publicId}` }),
    unavailable: undefined,
    others: ['GET /external/survey-campaigns'],
  },
  {
    service: survey,
    table: 'survey.metadata_field',
    callers: 'organizations',
    needs: ({ campaignId, metadataId }) => ({
      method: 'POST',
      path: `/external/survey-campaigns/${campaignId}/links`,
      contentType: 'application/json',
      body: JSON.stringify({ name: 'locked', metadata_mapping: [{ metadata_id: metadataId, value: 1 }] }),
    }),
    unavailable: survey.unavailable,
    others: ['GET /external/survey-campaigns'],
  },
];

async function withLink(url: string, tenant: Tenant): Promise<LinkedTenant> {
  const path = `/external/survey-campaigns/${tenant.campaignId}/links`;
  const { body } = await send(url, postJson(path, tenant.caller, { name: 'page' }));
  return { ...tenant, publicId: (body as { public_id: string }).public_id };
}

describe.each(CASES)(
  '$service.name, while $table is locked, which calls of $callers need',
  ({ service, table, callers, needs, unavailable, others }) => {
    let running: TestService;
    let victims: LinkedTenant[];
    let other: LinkedTenant;
    let lock: QueryRunner;

    beforeAll(async () => {
      running = await service.startInProcess({ CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS) });
      const tenants = [];
      for (let i = 0; i <= VICTIMS; i++) {
        const tenant = await createTenant(service, running.url, running.dataSource);
        tenants.push(callers === 'respondents' ? await withLink(running.url, tenant) : tenant);
      }
      [other, ...victims] = tenants as [LinkedTenant, ...LinkedTenant[]];
      lock = running.dataSource.createQueryRunner();
      await lock.connect();
    }, 60_000);

    afterAll(async () => {
      await lock.release();
      await running.stop();
    });

    async function whileLocked(name: string, use: () => Promise<void>): Promise<void> {
      await lock.startTransaction();
      try {
        await lock.query(`LOCK TABLE ${name}`);
        await use();
      } finally {
        await lock.rollbackTransaction();
      }
    }

    const call = (tenant: LinkedTenant) =>
      send(running.url, signed(needs(tenant), needs(tenant), tenant.caller.headers));

    async function callOthers(): Promise<HttpAnswer[]> {
      const routes = KNOWN_ROUTES.filter(
        (route) => route.service === service && others.includes(`${route.method} ${route.path}`),
      );
      expect(routes.map(routeName)).toHaveLength(others.length);
      return Promise.all(
        routes.map((route) =>
          send(running.url, signed(route, route.request(other), headersOf(route, other))),
        ),
      );
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
      await whileLocked(table, async () => {
        let isOver = false;
        const stuck = victims.flatMap((victim) =>
          Array.from({ length: CALLS_AT_ONCE }, async () => {
            const answers: HttpAnswer[] = [];
            while (!isOver) answers.push(await call(victim));
            return answers;
          }),
        );
        const start = performance.now();
        const statuses = new Set<number | string>();
        let rounds = 0;
        while (performance.now() - start < LOCKED_MS || rounds < LEAST_ROUNDS) {
          const round = Promise.all([callOthers(), isReady()]);
          const late = await latenessDuring(round);
          const [answers, ready] = await round;
          // Processes that have no time for these have none for requests, either.
          if (late > LATE_MS) continue;
          rounds++;
          for (const { status } of answers) statuses.add(status);
          statuses.add(ready ? 'ready' : 'not ready');
        }
        isOver = true;
        for (const { status, body } of (await Promise.all(stuck)).flat()) {
          // An organization has eight intakes at once.
          if (status !== 429) expect({ status, body }).toEqual({ status: 503, body: unavailable });
        }
        expect([...statuses].filter((status) => status !== 200 && status !== 201)).toEqual(['ready']);
        await expectNoneWaiting();
      });
      expect([200, 201]).toContain((await call(victims[0]!)).status);
    }, 180_000);

    it('the same holds for the table of API tokens: those who called before are served', async () => {
      // A token is known for four seconds after it was looked up: this one is looked up now.
      const { organizationId } = other.caller;
      other = { ...other, caller: await issueTestToken(running.dataSource, { organizationId }) };
      await callOthers();
      await whileLocked('access.api_token', async () => {
        const unknown = { ...other.caller.headers, authorization: `Bearer ${victims[0]!.caller.token}` };
        const stuck = Array.from({ length: 20 }, () =>
          send(running.url, signed(needs(other), needs(other), unknown)),
        );
        expect((await callOthers()).every(({ status }) => status < 300)).toBe(true);
        expect(await isReady()).toBe(true);
        for (const { status } of await Promise.all(stuck))
          expect(callers === 'respondents' ? [200] : [401, 503]).toContain(status);
        await expectNoneWaiting();
      });
    });
  },
);
