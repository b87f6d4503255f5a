import { Injectable } from '@nestjs/common';
import { pageRange, snakeCasePage } from '@cxp/pagination';
import { ReadStore } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { instantsOf } from '../calendar/day-window';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { rejectUnknownCampaign } from '../campaigns/unknown-campaign';
import { pageOf } from '../paging/page.dto';
import { changeCursor } from './change-cursor';
import { surveyResponse, type ListResponsesQuery, type ResponsePageResponse } from './response.dto';
import { ResponseReadModel } from './response.read-model';
import type { ResponseWindow } from './response-window';

@Injectable()
export class ResponseService {
  constructor(
    private readonly manager: EntityManager,
    private readonly store: ReadStore,
  ) {}

  /** @throws ProblemError 422 when the organization has no such campaign */
  async list(organizationId: string, query: ListResponsesQuery): Promise<ResponsePageResponse> {
    const instants = instantsOf({ startDate: query.start_date, endDate: query.end_date });
    const window = { campaignId: query.survey_campaign_id, ...instants };
    const { cursor, per_page } = query;
    return cursor === undefined
      ? this.store.read((manager) => page(manager, organizationId, window, query))
      : changes(this.manager, organizationId, window, cursor, per_page);
  }
}

async function page(
  manager: EntityManager,
  organizationId: string,
  window: ResponseWindow,
  query: ListResponsesQuery,
): Promise<ResponsePageResponse> {
  await requireCampaign(manager, organizationId, window);
  const wanted = pageOf(query);
  const { total, items } = await new ResponseReadModel(manager).page(
    organizationId,
    window,
    pageRange(wanted),
  );
  return { items: items.map(surveyResponse), ...snakeCasePage({ ...wanted, total }) };
}

async function changes(
  manager: EntityManager,
  organizationId: string,
  window: ResponseWindow,
  after: number,
  per_page: number | undefined,
): Promise<ResponsePageResponse> {
  await requireCampaign(manager, organizationId, window);
  const wanted = pageOf({ per_page });
  const responses = new ResponseReadModel(manager);
  const total = await responses.count(organizationId, window);
  const changed = await responses.changesAfter(organizationId, after, window, wanted.perPage);
  return {
    items: changed.map(surveyResponse),
    ...snakeCasePage({ ...wanted, total }),
    next_cursor: changeCursor(changed.at(-1)?.change ?? after),
  };
}

async function requireCampaign(
  manager: EntityManager,
  organizationId: string,
  { campaignId }: ResponseWindow,
): Promise<void> {
  if (!(await new CampaignRepository(manager).exists(organizationId, campaignId))) rejectUnknownCampaign();
}
