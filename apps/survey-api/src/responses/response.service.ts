import { Injectable } from '@nestjs/common';
import { pageRange, snakeCasePage } from '@cxp/pagination';
import { itemsJson } from '@cxp/service-kit';
import { readOn } from '@cxp/storage';
import { instantsOf } from '../calendar/day-window';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { rejectUnknownCampaign } from '../campaigns/unknown-campaign';
import { pageOf } from '../paging/page.dto';
import type { ListResponsesQuery } from './response.dto';
import { ResponseReadModel } from './response.read-model';

@Injectable()
export class ResponseService {
  constructor(
    private readonly campaigns: CampaignRepository,
    private readonly responses: ResponseReadModel,
  ) {}

  /**
   * One page. If its responses are too large to be read at once, the first ones and the total are of one snapshot, and each further read
   * follows the order as it is by then, as pages do.
   * @returns the answer as JSON, piece by piece
   * @throws ProblemError 422 when the organization has no such campaign
   */
  async *list(organizationId: string, query: ListResponsesQuery): AsyncGenerator<string | Buffer> {
    const instants = instantsOf({ startDate: query.start_date, endDate: query.end_date });
    const window = { campaignId: query.survey_campaign_id, ...instants };
    const page = pageOf(query);
    const { offset, limit } = pageRange(page);
    if (!(await this.campaigns.exists(organizationId, window.campaignId))) rejectUnknownCampaign();
    const { total, items } = await this.responses.page(organizationId, window, { offset, limit });
    const reads = readOn(items, Math.min(limit, total - offset), (last, more) =>
      this.responses.after(organizationId, window, last, more),
    );
    yield* itemsJson(
      reads,
      (responses) => responses.map(({ earliest_at: _, ...response }) => JSON.stringify(response)).join(','),
      () => snakeCasePage({ ...page, total }),
    );
  }
}
