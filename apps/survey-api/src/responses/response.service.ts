import { Injectable } from '@nestjs/common';
import { pageRange, snakeCasePage } from '@cxp/pagination';
import { instantsOf } from '../calendar/day-window';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { type ListResponsesQuery, rejectUnknownCampaign, type SurveyResponsePage } from './response.dto';
import { pageOf } from '../campaigns/campaign.dto';
import { ResponseReadModel } from './response.read-model';

@Injectable()
export class ResponseService {
  constructor(
    private readonly campaigns: CampaignRepository,
    private readonly responses: ResponseReadModel,
  ) {}

  /** @throws ProblemError 422 when the organization has no such campaign */
  async list(organizationId: string, query: ListResponsesQuery): Promise<SurveyResponsePage> {
    const campaignId = query.survey_campaign_id;
    const instants = instantsOf({ startDate: query.start_date, endDate: query.end_date });
    const page = pageOf(query);
    if (!(await this.campaigns.exists(organizationId, campaignId))) rejectUnknownCampaign();
    const window = { campaignId, ...instants };
    const { total, identifiers } = await this.responses.select(organizationId, window, pageRange(page));
    const responses = await this.responses.read(organizationId, campaignId, identifiers);
    return {
      items: responses.map(({ tags: _, ...response }) => response),
      ...snakeCasePage({ ...page, total }),
    };
  }
}
