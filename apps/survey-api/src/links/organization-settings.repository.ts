import { Injectable } from '@nestjs/common';
import type { OrganizationSettingsData } from '@cxp/platform-records';
import { Statement } from '@cxp/storage';
import { EntityManager } from 'typeorm';

const STORE = new Statement(
  {},
  `INSERT INTO survey.organization_settings (organization_id, max_survey_links_per_campaign) VALUES ($1, $2)
   ON CONFLICT (organization_id) DO UPDATE
     SET max_survey_links_per_campaign = EXCLUDED.max_survey_links_per_campaign`,
);

@Injectable()
export class OrganizationSettingsRepository {
  constructor(private readonly manager: EntityManager) {}

  /** Without a limit, or with null, the platform's default counts. */
  async store(
    organizationId: string,
    { max_survey_links_per_campaign: limit = null }: OrganizationSettingsData,
  ): Promise<void> {
    await STORE.count(this.manager, [organizationId, limit]);
  }
}
