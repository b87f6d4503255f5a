import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { CampaignStatus } from '@cxp/records';
import type { SurveyQuestion } from './survey-question';

@Entity({ schema: 'survey', name: 'campaign' })
// Only SQL can describe these indexes.
@Index('campaign_list', { synchronize: false })
@Index('campaign_count', { synchronize: false })
@Check('campaign_status_check', `status IN ('awaited', 'draft', 'active', 'inactive', 'deleted')`)
export class Campaign {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('uuid')
  readonly id!: string;

  /** Responses name it and its own record has not arrived. No answer shows it. */
  @Column('text')
  readonly status!: CampaignStatus | 'awaited';

  @Column('text', { default: '' })
  readonly name!: string;

  @Column('json', { default: [] })
  readonly touchpoints!: readonly string[];

  @Column('json', { default: [] })
  readonly questions!: readonly SurveyQuestion[];

  @Column('timestamptz', { name: 'recorded_interaction_at', nullable: true, select: false })
  readonly recordedInteractionAt?: Date | null;

  @Column('timestamptz', { name: 'response_interaction_at', nullable: true, select: false })
  readonly responseInteractionAt?: Date | null;

  @Column({
    type: 'timestamptz',
    name: 'last_interacted_at',
    nullable: true,
    select: false,
    generatedType: 'STORED',
    asExpression: 'GREATEST(recorded_interaction_at, response_interaction_at)',
  })
  readonly lastInteractedAt?: Date | null;
}
