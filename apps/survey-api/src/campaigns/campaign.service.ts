import { Injectable } from '@nestjs/common';
import { pageJson, pageOf, pageRange, snakeCasePage, withMember } from '@cxp/pagination';
import { startOfDay } from '../calendar/day-window';
import { CampaignListReadModel } from './campaign-list.read-model';
import type { ListCampaignsQuery } from './campaign.dto';

@Injectable()
export class CampaignService {
  constructor(private readonly campaigns: CampaignListReadModel) {}

  /** @returns a `CampaignPageResponse` as JSON */
  async list(organizationId: string, query: ListCampaignsQuery): Promise<Buffer> {
    const page = pageOf(query);
    const { has_interaction_from: interactedFrom } = query;
    const filter = {
      ids: query.survey_campaign_ids,
      statuses: query.statuses,
      interactedFrom: interactedFrom === undefined ? undefined : startOfDay(interactedFrom),
      search: query.search || undefined,
    };
    const { total, items } = await this.campaigns.page(organizationId, filter, pageRange(page));
    const pieces = items.map(({ survey_questions: questions, ...campaign }) =>
      withMember(JSON.stringify(campaign), 'survey_questions', questions),
    );
    return pageJson(pieces, snakeCasePage({ ...page, total }));
  }
}
