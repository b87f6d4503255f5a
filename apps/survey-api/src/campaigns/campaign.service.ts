import { Injectable } from '@nestjs/common';
import { pageRange, snakeCasePage } from '@cxp/pagination';
import { itemsJson } from '@cxp/service-kit';
import { readOn } from '@cxp/storage';
import { pageOf } from '../paging/page.dto';
import { startOfDay } from '../calendar/day-window';
import { CampaignListReadModel } from './campaign-list.read-model';
import { CAMPAIGN_STATUSES } from '@cxp/platform-records';
import type { ListCampaignsQuery } from './campaign.dto';

const LISTED_STATUSES = CAMPAIGN_STATUSES.filter((status) => status !== 'deleted');

@Injectable()
export class CampaignService {
  constructor(private readonly campaigns: CampaignListReadModel) {}

  /**
   * One page of one snapshot; campaigns that are too large to be read at once are read later, as they are by then.
   * @returns the answer as JSON, piece by piece
   */
  async *list(organizationId: string, query: ListCampaignsQuery): AsyncGenerator<string | Buffer> {
    const page = pageOf(query);
    const { has_interaction_from: interactedFrom } = query;
    const filter = {
      ids: query.survey_campaign_ids,
      statuses: query.statuses ?? LISTED_STATUSES,
      interactedFrom: interactedFrom === undefined ? undefined : startOfDay(interactedFrom),
      search: query.search || undefined,
    };
    const { total, ids, items } = await this.campaigns.page(organizationId, filter, pageRange(page));
    const reads = readOn(items, ids.length, (last, more) => {
      const next = ids.indexOf(last.id) + 1;
      return this.campaigns.ofIds(organizationId, ids.slice(next, next + more));
    });
    yield* itemsJson(
      reads,
      (campaigns) => campaigns.map((campaign) => JSON.stringify(campaign)).join(','),
      () => snakeCasePage({ ...page, total }),
    );
  }
}
