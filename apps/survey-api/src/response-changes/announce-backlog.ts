import { withIntakeTurn } from '@cxp/record-intake';
import type { DataSource } from 'typeorm';
import { ResponseChangeRepository } from './response-change.repository';

/** Responses that one transaction announces: an intake of the organization waits no longer than that takes. */
const TRANSACTION_RESPONSES = 5_000;

/** How long to wait for the intakes of the organization, in milliseconds. */
const PATIENCE = { turnMs: 1_000, lockMs: 1_000 };

/** Announces the responses of an organization that writers of a previous release changed. */
export async function announceBacklog(dataSource: DataSource, organizationId: string): Promise<void> {
  for (let isMore = true; isMore;) {
    isMore = await withIntakeTurn(
      dataSource,
      'survey',
      organizationId,
      (manager) =>
        new ResponseChangeRepository(manager).announceBacklog(organizationId, TRANSACTION_RESPONSES),
      PATIENCE,
    );
  }
}

/** Announces those of all organizations: followers that wait are woken by a number. */
export async function announceBacklogs(dataSource: DataSource): Promise<void> {
  const organizations = await dataSource.query<{ organization_id: string }[]>(
    'SELECT DISTINCT organization_id FROM survey.response_feed WHERE is_unannounced',
  );
  for (const { organization_id } of organizations) await announceBacklog(dataSource, organization_id);
}
