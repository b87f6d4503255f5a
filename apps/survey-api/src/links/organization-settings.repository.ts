import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';

export interface OrganizationSettings {
  /** `null`: the platform's default. */
  readonly max_survey_links_per_campaign: number | null;
}

@Injectable()
export class OrganizationSettingsRepository {
  constructor(private readonly manager: EntityManager) {}

  async store(organizationId: string, settings: OrganizationSettings): Promise<void> {
    await this.manager.query(
      `INSERT INTO survey.organization_settings (organization_id, max_survey_links_per_campaign) VALUES ($1, $2)
       ON CONFLICT (organization_id) DO UPDATE
         SET max_survey_links_per_campaign = EXCLUDED.max_survey_links_per_campaign`,
      [organizationId, settings.max_survey_links_per_campaign],
    );
  }
}
