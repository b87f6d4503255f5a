import { Injectable } from '@nestjs/common';
import { withRepository } from '@cxp/storage';
import { Column, Entity, EntityManager, PrimaryColumn } from 'typeorm';

/** null means the platform's default. */
@Entity({ schema: 'survey', name: 'organization_settings' })
export class StoredSettings {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @Column('integer', { name: 'max_survey_links_per_campaign', nullable: true })
  readonly maxLinks!: number | null;

  @Column('text', { name: 'brand_name', nullable: true })
  readonly brandName!: string | null;

  @Column('text', { name: 'brand_color', nullable: true })
  readonly brandColor!: string | null;

  @Column('text', { name: 'logo_type', nullable: true })
  readonly logoType!: string | null;

  @Column('bytea', { nullable: true })
  readonly logo!: Buffer | null;
}

export interface Brand {
  readonly name: string;
  /** `#rrggbb` in lower case. */
  readonly color: string;
  readonly logo: Logo | null;
}

export interface Logo {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
}

@Injectable()
export class OrganizationSettingsRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @param maxLinks null: the platform's default */
  async store(organizationId: string, maxLinks: number | null, brand: Brand | null): Promise<void> {
    const settings = {
      organizationId,
      maxLinks,
      brandName: brand?.name ?? null,
      brandColor: brand?.color ?? null,
      logoType: brand?.logo?.type ?? null,
      logo: brand?.logo?.bytes ?? null,
    };
    await withRepository(StoredSettings, this.manager, organizationId, (stored) =>
      stored.upsert(settings, ['organizationId']),
    );
  }
}
