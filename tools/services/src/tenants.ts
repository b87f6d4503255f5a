import { randomInt, randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { send } from './http';
import { contactCenter, survey, webchat, type ServiceUnderTest } from './service-under-test';
import { importRecords, postJson } from './workloads';

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
  /** Of a webchat session; blank in the other areas. */
  readonly sessionId: string;
  readonly sessionToken: string;
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
  };
  const tenant = { ...ids, caller, conversationId: `c-${ids.mark}`, sessionId: '', sessionToken: '' };
  await importRecords(url, caller, recordsOf(service, tenant));
  if (service !== webchat) return tenant;

  const { body } = await send(
    url,
    postJson('/external/sessions', caller, {
      organizationId: caller.organizationId,
      installedSourceId: ids.installedSourceId,
      user: { id: `user-${ids.mark}`, name: ids.mark, email: `${ids.mark}@example.com` },
    }),
  );
  const session = body as Pick<Tenant, 'sessionId' | 'sessionToken' | 'conversationId'>;
  const message = { id: `message-${ids.mark}`, senderType: 'agent', senderName: ids.mark, text: ids.mark };
  await send(url, postJson(`/internal/conversations/${session.conversationId}/messages`, caller, message));
  return { ...tenant, ...session };
}

export const NOON = '2026-01-05T05:00:00.000Z';

function recordsOf(service: ServiceUnderTest, tenant: Omit<Tenant, 'caller'>): object[] {
  const { mark, installedSourceId, conversationId, campaignId, metadataId, responseId } = tenant;
  switch (service) {
    case webchat:
      return [{ type: 'installed_source', data: { id: installedSourceId, name: mark } }];
    case contactCenter:
      return [
        {
          type: 'conversation',
          data: { id: conversationId, createdAt: NOON, updatedAt: NOON, customer: { name: mark } },
        },
        {
          type: 'activity',
          data: {
            id: `a-${mark}`,
            conversationId,
            action: 'assign',
            occurredAt: NOON,
            agent: { accountId: 42, email: `${mark}@example.com`, name: mark },
          },
        },
      ];
    case survey:
      return [
        {
          type: 'survey_campaign',
          data: {
            id: campaignId,
            name: mark,
            status: 'active',
            survey_questions: [{ id: 1, type: 'text', title: mark }],
          },
        },
        { type: 'metadata_field', data: { id: metadataId, name: mark, variable: mark } },
        {
          type: 'survey_response',
          data: {
            identifier: responseId,
            survey_campaign_id: campaignId,
            sent_timestamp: NOON,
            user_name: mark,
            answers: { 1: mark },
          },
        },
      ];
    default:
      throw new Error(`no records for ${service.name}`);
  }
}
