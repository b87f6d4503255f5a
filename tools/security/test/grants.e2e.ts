import { randomBytes, randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { WebSocket } from 'ws';
import { accessDatabase, ApiTokenRepository, OrganizationRepository } from '@cxp/access';
import { ChangeFeedMaintenance } from '@cxp/change-feed';
import { eventually, type TestService } from '@cxp/service-kit/testing';
import { send } from '@cxp/services/http';
import { soundRequest } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import {
  contactCenter,
  SERVICES,
  survey,
  webchat,
  type ServiceUnderTest,
} from '@cxp/services/service-under-test';
import { createTenant, NOON, type Tenant } from '@cxp/services/tenants';
import { importRecords, postJson } from '@cxp/services/workloads';
import { SERVING_ROLE } from '@cxp/testing';
import { expiredResponses } from '@cxp/survey-api/erasure/expired-responses';
import { refusedOf, SentStatements, unusedRights } from '../src/statement-rights';

/*
 * The rights of the role that serves are those that the statements of the service need. One that is missing fails each end-to-end test
 * whose service runs such a statement. Here the services do everything that they can do, so that one too many is found.
 */

/** Of this run: what docker/roles.sql calls cxp_operator, without the rights of the roles that serve. */
const OPERATOR_ROLE = `cxp_test_operator_${randomUUID().slice(0, 8)}`;

let sent: SentStatements;
let client: Client;
const services: TestService[] = [];

beforeAll(async () => {
  sent = new SentStatements();
  for (const service of SERVICES) {
    const running = await service.startInProcess();
    services.push(running);
    const tenant = await createTenant(service, running.url, running.dataSource);
    for (const route of KNOWN_ROUTES.filter((one) => one.service === service)) {
      const { status } = await send(running.url, soundRequest(route, tenant));
      expect([route.path, status]).toEqual([route.path, route.success]);
    }
    await REST.get(service)!(running, tenant);
  }
});
afterAll(async () => {
  for (const service of services) await service.stop();
});

it.each(
  SERVICES.map((service, place) => ({ place, areas: [service.area, accessDatabase], name: service.name })),
)('$name may run its statements, and has no right that none of them needs', async ({ place, areas }) => {
  client = new Client(connectionOf(services[place]!));
  await client.connect();
  for (const { schema, servingGrants } of areas) {
    const statements = sent.explainable(SERVING_ROLE).filter((text) => text.includes(`${schema}.`));
    expect(await refusedOf(client, SERVING_ROLE, statements)).toEqual([]);
    expect(await unusedRights(client, SERVING_ROLE, schema, servingGrants, statements)).toEqual([]);
  }
});

it('the command line may run its statements, and has no right that none of them needs', async () => {
  await using(services[1]!, OPERATOR_ROLE, async (operator) => {
    const organizations = new OrganizationRepository(operator.manager);
    await organizations.create({ id: 'acme', name: 'Acme' });
    expect((await organizations.list()).map(({ id }) => id)).toContain('acme');
    const tokens = new ApiTokenRepository(operator.manager);
    const [name, permissions] = ['test', { $survey_link: ['create'] }];
    const { id } = await tokens.issue({ organizationId: 'acme', name, permissions, lifetimeSeconds: null });
    await tokens.rotate(id, 1);
    await tokens.revoke(id);
  });
  client = new Client(connectionOf(services[1]!));
  await client.connect();
  for (const { schema, operatorGrants } of [accessDatabase]) {
    const statements = sent.explainable(OPERATOR_ROLE).filter((text) => text.includes(`${schema}.`));
    expect(await unusedRights(client, OPERATOR_ROLE, schema, operatorGrants!, statements)).toEqual([]);
  }
  await client.query(`DROP OWNED BY ${OPERATOR_ROLE}; DROP ROLE ${OPERATOR_ROLE}`);
});
afterEach(() => client.end());

const LATER = '2026-01-05T06:00:00.000Z';

/** What no route does. */
const REST = new Map<ServiceUnderTest, (service: TestService, tenant: Tenant) => Promise<void>>([
  [
    webchat,
    async ({ url }, tenant) => {
      const { caller, conversationId } = tenant;
      const activity = { id: 'asked', action: 'route_to_rating' };
      await send(url, postJson(`/internal/conversations/${conversationId}/activities`, caller, activity));
      await submitRating(url, tenant);
      await erase(url, tenant, 'anonymize');
      const { installedSourceId, mark } = tenant;
      const { organizationId } = caller;
      const user = { id: 'again', email: `${mark}@example.com` };
      await send(url, postJson('/external/sessions', caller, { organizationId, installedSourceId, user }));
      await erase(url, tenant, 'delete');
    },
  ],
  [
    contactCenter,
    async ({ app, url }, tenant) => {
      const { caller, conversationId, mark } = tenant;
      const records = [
        { type: 'message', data: { id: 'm', conversationId, senderType: 'agent', sentAt: NOON } },
        { type: 'ticket', data: { id: 1, conversationId, createdAt: NOON, updatedAt: NOON } },
        { type: 'conversation_survey', data: { id: 's', conversationId, submittedAt: NOON, rating: 5 } },
        { type: 'conversation', data: { id: conversationId, createdAt: NOON, updatedAt: LATER } },
        {
          type: 'activity',
          data: { id: 'end', conversationId, action: 'end_conversation', occurredAt: LATER },
        },
        { type: 'human_schedule', data: { weekly: [{ weekday: 1, start: '09:00', end: '17:00' }] } },
      ];
      for (let round = 0; round < 2; round++) await importRecords(url, caller, records);
      const removed = records.filter(({ data }) => 'id' in data);
      await importRecords(
        url,
        caller,
        removed.map(({ type, data }) => ({ type, op: 'delete', data: { id: data.id, updatedAt: LATER } })),
      );
      await app.get(ChangeFeedMaintenance).run();
      // It awaits its conversation.
      await importRecords(url, caller, records.slice(0, 1));
      await app.get(ChangeFeedMaintenance).prune(new Date(Date.now() + 60_000));
      const customer = { email: `${mark}@example.com` };
      const person = {
        type: 'conversation',
        data: { id: 'p', createdAt: NOON, updatedAt: NOON, customer },
      };
      await importRecords(url, caller, [person]);
      await erase(url, tenant, 'delete');
    },
  ],
  [
    survey,
    async ({ app, url }, { caller, campaignId, responseId }) => {
      await send(url, { method: 'GET', path: `/s/${randomBytes(16).toString('base64url')}` });
      const erasure = { id: randomUUID(), subject: { emails: ['matrix'] }, mode: 'delete' };
      expect(await send(url, postJson('/external/erasures', caller, erasure))).toMatchObject({
        body: { erasedAt: expect.any(String), found: { links: 1 } },
      });
      const settings = { type: 'organization_settings', data: { max_survey_links_per_campaign: 7 } };
      await importRecords(url, caller, [settings]);
      const deleted = { id: campaignId, name: 'gone', status: 'deleted', survey_questions: [] };
      await importRecords(url, caller, [{ type: 'survey_campaign', data: deleted }]);
      await importRecords(url, caller, [
        { type: 'survey_response', op: 'delete', data: { identifier: responseId } },
      ]);
      const expired = { organizationId: caller.organizationId, ids: [], place: '' };
      await expiredResponses(app.get(DataSource), 1).remove(expired, new Date());
      await app.get(ChangeFeedMaintenance).run();
      await app.get(ChangeFeedMaintenance).prune(new Date(Date.now() + 60_000));
    },
  ],
]);

/** Erases the customer of a tenant, to the end. */
async function erase(url: string, { caller, mark }: Tenant, mode: 'delete' | 'anonymize'): Promise<void> {
  const request = { id: randomUUID(), subject: { emails: [`${mark}@example.com`] }, mode };
  await eventually(async () => {
    const { status, body } = await send(url, postJson('/external/erasures', caller, request));
    return status === 200 && (body as { erasedAt: string | null }).erasedAt !== null;
  });
}

async function submitRating(url: string, { sessionId, sessionToken }: Tenant): Promise<void> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/sessions/${sessionId}`, [
    'webchat.v1',
    `bearer.${sessionToken}`,
  ]);
  const answer = { type: 'rating.submit', clientId: 'r', rating: 5, resolution: 1, feedback: null };
  await new Promise((accepted, refused) => {
    socket.on('error', refused).on('message', (data: Buffer) => {
      const { type } = JSON.parse(data.toString()) as { type: string };
      if (type === 'session.ready') socket.send(JSON.stringify(answer));
      if (type === 'error') refused(new Error(data.toString()));
      if (type === 'rating.accepted') accepted(undefined);
    });
  });
  socket.close();
}

/** Uses a service's database as a role that has the rights of the command line. */
async function using(
  service: TestService,
  role: string,
  use: (dataSource: DataSource) => Promise<void>,
): Promise<void> {
  const grants = [accessDatabase].flatMap(({ schema, operatorGrants }) => [
    `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
    ...Object.entries(operatorGrants!).map(
      ([table, privileges]) => `GRANT ${privileges.join(', ')} ON ${schema}.${table} TO ${role}`,
    ),
  ]);
  await service.dataSource.query([`CREATE ROLE ${role} LOGIN`, ...grants].join('; '));
  const url = new URL(connectionOf(service));
  url.username = role;
  const dataSource = await new DataSource({ type: 'postgres', url: url.href }).initialize();
  await use(dataSource).finally(() => dataSource.destroy());
}

function connectionOf({ dataSource }: TestService): string {
  return (dataSource.options as { url: string }).url;
}
