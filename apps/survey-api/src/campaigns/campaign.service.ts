import { Injectable } from '@nestjs/common';
import { pageRange, snakeCasePage } from '@cxp/pagination';
import { ReadStore } from '@cxp/storage';
import { pageOf } from '../paging/page.dto';
import { startOfDay } from '../calendar/day-window';
import { CampaignListReadModel, type ListedCampaign } from './campaign-list.read-model';
import { CAMPAIGN_STATUSES } from '@cxp/platform-records';
import type { CampaignPageResponse, CampaignResponse, ListCampaignsQuery } from './campaign.dto';

const LISTED_STATUSES = CAMPAIGN_STATUSES.filter((status) => status !== 'deleted');

@Injectable()
export class CampaignService {
  constructor(private readonly store: ReadStore) {}

  async list(organizationId: string, query: ListCampaignsQuery): Promise<CampaignPageResponse> {
    const page = pageOf(query);
    const { has_interaction_from: interactedFrom } = query;
    const filter = {
      ids: query.survey_campaign_ids,
      statuses: query.statuses ?? LISTED_STATUSES,
      interactedFrom: interactedFrom === undefined ? undefined : startOfDay(interactedFrom),
      search: query.search || undefined,
    };
    const { total, items } = await this.store.read((manager) =>
      new CampaignListReadModel(manager).page(organizationId, filter, pageRange(page)),
    );
    return { items: items.map(campaignResponse), ...snakeCasePage({ ...page, total }) };
  }
}

function campaignResponse({ id, name, lastInteractedAt, questions }: ListedCampaign): CampaignResponse {
  return {
    id,
    name,
    last_interacted_at: lastInteractedAt?.toISOString() ?? null,
    survey_questions: questions,
  };
}
