import { Injectable } from '@nestjs/common';
import { snakeCasePage } from '@cxp/pagination';
import { pageWindow } from '../paging/page-parameters';
import { startOfDay } from '../responses/day-window';
import { CampaignListReadModel, type ListedCampaign } from './campaign-list.read-model';
import { CAMPAIGN_STATUSES } from './campaign-status';
import type { CampaignPageResponse, CampaignResponse, ListCampaignsQuery } from './campaign.dto';

const LISTED_STATUSES = CAMPAIGN_STATUSES.filter((status) => status !== 'deleted');

@Injectable()
export class CampaignService {
  constructor(private readonly campaigns: CampaignListReadModel) {}

  async list(organizationId: string, query: ListCampaignsQuery): Promise<CampaignPageResponse> {
    const window = pageWindow(query);
    const { has_interaction_from: interactedFrom } = query;
    const { total, items } = await this.campaigns.page(
      organizationId,
      {
        ids: query.survey_campaign_ids,
        statuses: query.statuses ?? LISTED_STATUSES,
        interactedFrom: interactedFrom === undefined ? undefined : startOfDay(interactedFrom),
        search: query.search || undefined,
      },
      window,
    );
    return snakeCasePage({ ...window, total, items: items.map(campaignResponse) });
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
