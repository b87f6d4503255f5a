import { Injectable } from '@nestjs/common';
import { pageRange, snakeCasePage } from '@cxp/pagination';
import { startOfDay } from '../calendar/day-window';
import { CampaignListReadModel } from './campaign-list.read-model';
import { type CampaignPageResponse, type ListCampaignsQuery, pageOf } from './campaign.dto';

@Injectable()
export class CampaignService {
  constructor(private readonly campaigns: CampaignListReadModel) {}

  async list(organizationId: string, query: ListCampaignsQuery): Promise<CampaignPageResponse> {
    const page = pageOf(query);
    const { has_interaction_from: interactedFrom } = query;
    const filter = {
      ids: query.survey_campaign_ids,
      statuses: query.statuses,
      interactedFrom: interactedFrom === undefined ? undefined : startOfDay(interactedFrom),
      search: query.search || undefined,
    };
    const { total, items } = await this.campaigns.page(organizationId, filter, pageRange(page));
    return {
      items: items.map((campaign) => ({
        ...campaign,
        last_interacted_at: campaign.last_interacted_at?.toISOString() ?? null,
      })),
      ...snakeCasePage({ ...page, total }),
    };
  }
}
