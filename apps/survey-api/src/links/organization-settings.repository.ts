import { Injectable } from '@nestjs/common';
import { Statement } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { Brand } from '../brand/brand';

const STORE = new Statement(
  {},
  `INSERT INTO survey.organization_settings
     (organization_id, max_survey_links_per_campaign, brand_name, brand_color, logo_type, logo)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (organization_id) DO UPDATE
     SET max_survey_links_per_campaign = EXCLUDED.max_survey_links_per_campaign, brand_name = EXCLUDED.brand_name,
       brand_color = EXCLUDED.brand_color, logo_type = EXCLUDED.logo_type, logo = EXCLUDED.logo`,
);

/** The settings of an organization, as its record brings them. */
export interface OrganizationSettings {
  /** null: the platform's default. */
  readonly maxLinks: number | null;
  readonly brand: Brand | null;
}

@Injectable()
export class OrganizationSettingsRepository {
  constructor(private readonly manager: EntityManager) {}

  async store(organizationId: string, { maxLinks, brand }: OrganizationSettings): Promise<void> {
    const { type = null, bytes = null } = brand?.logo ?? {};
    await STORE.count(this.manager, [
      organizationId,
      maxLinks,
      brand?.name ?? null,
      brand?.color ?? null,
      type,
      bytes,
    ]);
  }
}
