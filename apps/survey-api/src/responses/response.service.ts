import { Injectable } from '@nestjs/common';
import { pageJson, pageOf, pageRange, snakeCasePage } from '@cxp/pagination';
import { instantsOf } from '../calendar/day-window';
import { type ListResponsesQuery, rejectUnknownCampaign } from './response.dto';
import { ResponseReadModel } from './response.read-model';

@Injectable()
export class ResponseService {
  constructor(private readonly responses: ResponseReadModel) {}

  /**
   * @returns a `SurveyResponsePageDto` as JSON
   * @throws ProblemError 422 when the organization has no such campaign
   */
  async list(organizationId: string, query: ListResponsesQuery): Promise<Buffer> {
    const campaignId = query.survey_campaign_id;
    const instants = instantsOf({ startDate: query.start_date, endDate: query.end_date });
    const page = pageOf(query);
    const window = { campaignId, ...instants };
    const { total, items } = await this.responses.list(organizationId, window, pageRange(page));
    if (total === undefined) rejectUnknownCampaign();
    return pageJson(items, snakeCasePage({ ...page, total }));
  }
}
