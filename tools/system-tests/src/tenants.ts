import { randomInt, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { eventually, issueTestToken, type Caller, type TestService } from '@cxp/service-kit/testing';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { send, importRecords, postJson, record } from './http';
import { contactCenter, startBuilt, survey, webchat, type ServiceUnderTest } from './service-under-test';

/** An organization with data of every kind, all of which holds its mark. */
export interface Tenant {
  readonly caller: Caller;
  /** Part of every text that the organization owns. */
  readonly mark: string;
  readonly installedSourceId: number;
  readonly conversationId: string;
  readonly campaignId: string;
  readonly metadataId: number;
  readonly responseId: string;
  /** Of a webhook endpoint, which nothing listens at; there is none in webchat. */
  readonly endpointId: string;
  /** Of a webchat session; blank in the other areas. */
  readonly sessionId: string;
  readonly sessionToken: string;
  /** Of an erasure that has found nothing; what the service answered, if it has none yet. */
  readonly certificate: Certificate;
}

export interface Certificate {
  readonly id: string;
  readonly erasedAt: string | null;
}

/** Creates an organization and gives it data through the service itself. */
export async function createTenant(
  service: ServiceUnderTest,
  url: string,
  dataSource: DataSource,
): Promise<Tenant> {
  const caller = await issueTestToken(dataSource);
  const ids = {
    mark: `mark-${randomUUID()}`,
    installedSourceId: randomInt(1, 1_000_000_000),
    campaignId: randomUUID(),
    metadataId: randomInt(1, 1_000_000_000),
    responseId: randomUUID(),
    endpointId: randomUUID(),
  };
  const certificate = await eraseNobody(url, caller);
  const session = { conversationId: `c-${ids.mark}`, sessionId: '', sessionToken: '' };
  const tenant = { ...ids, caller, certificate, ...session };
  await importRecords(url, caller, recordsOf(service, tenant));
  if (service !== webchat) {
    await send(url, { ...postJson(endpointPath(tenant), caller, endpointOf(tenant)), method: 'PUT' });
    return tenant;
  }

  const { body } = await send(
    url,
    postJson('/external/sessions', caller, {
      organizationId: caller.organizationId,
      installedSourceId: ids.installedSourceId,
      user: { id: `user-${ids.mark}`, name: ids.mark, email: `${ids.mark}@example.com` },
    }),
  );
  const opened = body as Pick<Tenant, 'sessionId' | 'sessionToken' | 'conversationId'>;
  const message = { id: `message-${ids.mark}`, senderType: 'agent', senderName: ids.mark, text: ids.mark };
  await send(url, postJson(`/internal/conversations/${opened.conversationId}/messages`, caller, message));
  return { ...tenant, ...opened };
}

async function eraseNobody(url: string, caller: Caller): Promise<Certificate> {
  const erasure = { id: randomUUID(), subject: { emails: ['nobody@example.com'] } };
  let certificate: Certificate;
  await eventually(async () => {
    const { status, body } = await send(url, postJson('/external/erasures', caller, erasure));
    certificate = body as Certificate;
    return status !== 200 || certificate.erasedAt !== null;
  });
  return certificate!;
}

export function endpointPath({ endpointId }: Pick<Tenant, 'endpointId'>): string {
  return `/external/webhook-endpoints/${endpointId}`;
}

export function endpointOf({ mark }: Pick<Tenant, 'mark'>): object {
  return { url: `https://127.0.0.1:1/${mark}`, description: mark };
}

export const NOON = '2026-01-05T05:00:00.000Z';

function recordsOf(service: ServiceUnderTest, tenant: Omit<Tenant, 'caller'>): object[] {
  const { mark, installedSourceId, conversationId, campaignId, metadataId, responseId } = tenant;
  switch (service) {
    case webchat:
      return [record('installed_source', { id: installedSourceId, name: mark })];
    case contactCenter: {
      const agent = { accountId: 42, email: `${mark}@example.com`, name: mark };
      const times = { createdAt: NOON, updatedAt: NOON };
      return [
        record('conversation', { id: conversationId, ...times, customer: { name: mark } }),
        record('activity', { id: `a-${mark}`, conversationId, action: 'assign', occurredAt: NOON, agent }),
      ];
    }
    case survey: {
      const survey_questions = [{ id: 1, type: 'text', title: mark }];
      const response = { identifier: responseId, survey_campaign_id: campaignId, sent_timestamp: NOON };
      return [
        record('survey_campaign', { id: campaignId, name: mark, status: 'active', survey_questions }),
        record('metadata_field', { id: metadataId, name: mark, variable: mark }),
        record('survey_response', { ...response, user_name: mark, answers: { 1: mark } }),
      ];
    }
    default:
      throw new Error(`no records for ${service.name}`);
  }
}

/** A service in this process and, over the same stores, as its build, with organizations that have data. */
export interface BuiltService {
  readonly inProcess: TestService;
  readonly built: ServiceProcess;
  readonly tenant: Tenant;
  /** Another organization. */
  readonly other: Tenant;
}

/**
 * For the tests of a `describe`, which may read it.
 * @param settings of the built one, beside those of its stores
 */
export function useBuiltService(
  service: ServiceUnderTest,
  settings: (stores: Readonly<Record<string, string>>) => Readonly<Record<string, string>> = () => ({}),
): BuiltService {
  const used = {} as { -readonly [Part in keyof BuiltService]: BuiltService[Part] };
  beforeAll(async () => {
    used.inProcess = await service.startInProcess();
    const stores = used.inProcess.environment;
    used.built = await startBuilt(service, { ...stores, LOG_LEVEL: 'warn', ...settings(stores) });
    used.tenant = await createTenant(service, used.built.url, used.inProcess.dataSource);
    used.other = await createTenant(service, used.built.url, used.inProcess.dataSource);
  }, 60_000);
  afterAll(async () => {
    await used.built?.stop();
    await used.inProcess?.stop();
  });
  return used;
}
