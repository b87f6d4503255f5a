import type { DataSource } from 'typeorm';
import { reproject, type ReprojectionResult } from '@cxp/contact-center-export/records/projection';
import { organizationsIn } from '@cxp/storage';
import { requireOrganization } from './database';

export { contactCenterDatabase } from '@cxp/contact-center-export/database';

/** @param organization only this one; without it all that have conversations */
export async function projectOrganizations(
  dataSource: DataSource,
  organization: string | undefined,
): Promise<ReprojectionResult> {
  let sum: ReprojectionResult = { conversations: 0, changed: 0 };
  for (const organizationId of await organizationsOf(dataSource, organization)) {
    const { conversations, changed } = await reproject(dataSource, organizationId);
    sum = { conversations: sum.conversations + conversations, changed: sum.changed + changed };
  }
  return sum;
}

async function organizationsOf(dataSource: DataSource, organization: string | undefined): Promise<string[]> {
  if (organization === undefined) return organizationsIn(dataSource.manager, 'contact_center.record');
  await requireOrganization(dataSource, organization);
  return [organization];
}
