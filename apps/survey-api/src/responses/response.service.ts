import { Injectable } from '@nestjs/common';
import { snakeCasePage } from '@cxp/pagination';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { rejectUnknownCampaign } from '../campaigns/unknown-campaign';
import { pageWindow } from '../paging/page-parameters';
import { changeCursor } from './change-cursor';
import { instantsOf } from './day-window';
import type { ListResponsesQuery, ResponsePageResponse, SurveyResponseResponse } from './response.dto';
import { ResponseReadModel } from './response.read-model';
import type { ResponseWindow } from './response-window';
import type { SurveyResponse } from './survey-response';

@Injectable()
export class ResponseService {
  constructor(
    private readonly campaigns: CampaignRepository,
    private readonly responses: ResponseReadModel,
  ) {}

  /** @throws ProblemError 422 when the organization has no such campaign */
  async list(organizationId: string, query: ListResponsesQuery): Promise<ResponsePageResponse> {
    const campaignId = query.survey_campaign_id;
    if (!(await this.campaigns.exists(organizationId, campaignId))) rejectUnknownCampaign();
    const instants = instantsOf({ startDate: query.start_date, endDate: query.end_date });
    const window = { organizationId, campaignId, ...instants };
    return query.cursor === undefined
      ? this.page(window, query)
      : this.changes(window, query.cursor, query.per_page);
  }

  private async page(window: ResponseWindow, query: ListResponsesQuery): Promise<ResponsePageResponse> {
    const page = pageWindow(query);
    const { total, items } = await this.responses.page(window, page);
    return snakeCasePage({ ...page, total, items: items.map(surveyResponse) });
  }

  private async changes(
    window: ResponseWindow,
    after: number,
    per_page: number | undefined,
  ): Promise<ResponsePageResponse> {
    const page = pageWindow({ per_page });
    const total = await this.responses.count(window);
    const changed = await this.responses.changesAfter(after, window, page.limit);
    return {
      ...snakeCasePage({ ...page, total, items: changed.map(surveyResponse) }),
      next_cursor: changeCursor(changed.at(-1)?.change ?? after),
    };
  }
}

function surveyResponse(response: SurveyResponse): SurveyResponseResponse {
  return {
    identifier: response.identifier,
    sent_timestamp: response.sentAt?.toISOString() ?? null,
    sending_failed_timestamp: response.sendingFailedAt?.toISOString() ?? null,
    opened_timestamp: response.openedAt?.toISOString() ?? null,
    answered_timestamp: response.answeredAt?.toISOString() ?? null,
    user_name: response.userName,
    user_phone: response.userPhone,
    user_email: response.userEmail,
    source: response.source,
    transaction_id: response.transactionId,
    metadata_mappings: response.metadataMappings,
    answers: response.answers,
  };
}
