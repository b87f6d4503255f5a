import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DependencyUnavailableError, readAhead, STREAM_PAUSE, withPauses } from '@cxp/storage';
import { type DayWindow, instantsOf, shortenWindow } from '../calendar/day-window';
import { type Campaign, CampaignRepository } from '../campaigns/campaign.repository';
import { rejectUnknownCampaign, type ResponseWindowQuery } from '../responses/response.dto';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import type { StoredResponse } from '../responses/response-fields';
import { ResponseReadModel, type ResponseSelection } from '../responses/response.read-model';
import { SurveySettings } from '../settings';
import { exportColumns } from './export-columns';
import { EXPORT_FORMATS, type ExportMediaType } from './export-formats';

export const MAX_RESPONSES = 5_000;

const READ_RESPONSES = 50;

export interface ResponseExport {
  readonly headers: Readonly<Record<string, string>>;
  /** Holds no connection while it is not read. */
  readonly body: Readable;
}

@Injectable()
export class ResponseExportService {
  constructor(
    private readonly campaigns: CampaignRepository,
    private readonly fields: MetadataFieldRepository,
    private readonly responses: ResponseReadModel,
    private readonly settings: SurveySettings,
  ) {}

  /**
   * Reads the first responses; the body reads the rest on demand.
   * @throws ProblemError 422 if the organization has no such campaign
   */
  async open(
    organizationId: string,
    query: ResponseWindowQuery,
    mediaType: ExportMediaType,
    stop: AbortSignal,
  ): Promise<ResponseExport> {
    const days = shortenWindow(
      { startDate: query.start_date, endDate: query.end_date },
      this.settings.SURVEY_EXPORT_WINDOW_DAYS,
    );
    const campaign = await this.campaigns.find(organizationId, query.survey_campaign_id);
    if (!campaign) rejectUnknownCampaign();
    const variables = await this.fields.listVariables(organizationId);
    const window = { campaignId: campaign.id, ...instantsOf(days) };
    const selection = await this.responses.select(organizationId, window, {
      offset: 0,
      limit: MAX_RESPONSES,
    });
    // A failure up to here has a status; a later one can only cut the connection.
    const pages = await this.readPages(organizationId, campaign.id, selection.identifiers, stop);
    const columns = exportColumns(campaign, [...variables.values()]);
    const body = EXPORT_FORMATS[mediaType].write({
      columns,
      responses: oneByOne(pages),
      guardFormulas: this.settings.SURVEY_EXPORT_FORMULA_GUARD,
    });
    return { headers: headersOf(mediaType, campaign, days, selection), body };
  }

  /**
   * Each page shows responses as they are when they are read. Nothing is held between two reads.
   * @returns after the first read
   */
  private async readPages(
    organizationId: string,
    campaignId: string,
    identifiers: readonly string[],
    stop: AbortSignal,
  ): Promise<AsyncIterable<StoredResponse[]>> {
    let place = 0;
    const readNext = async () => {
      const asked = identifiers.slice(place, (place += READ_RESPONSES));
      const responses = await this.responses.read(organizationId, campaignId, asked);
      // A response is gone: the file would contradict its headers, so the client has to export again.
      if (responses.length < asked.length) {
        throw new DependencyUnavailableError('A response was removed while it was exported');
      }
      return responses;
    };
    const nextOf = () => (place < identifiers.length ? readNext : undefined);
    return readAhead(await readNext(), nextOf, stop);
  }
}

/** A row may have 4,500 cells, so other requests are served between. */
async function* oneByOne(pages: AsyncIterable<readonly StoredResponse[]>): AsyncGenerator<StoredResponse> {
  for await (const page of pages) yield* withPauses(page, STREAM_PAUSE);
}

function headersOf(
  mediaType: ExportMediaType,
  campaign: Campaign,
  { startDate, endDate }: DayWindow,
  { total, identifiers }: ResponseSelection,
): Record<string, string> {
  const { extension } = EXPORT_FORMATS[mediaType];
  const name = `survey-responses_${campaign.id}_${startDate}_${endDate}`;
  return {
    'content-type': mediaType,
    vary: 'Accept',
    ...(extension && { 'content-disposition': `attachment; filename="${name}.${extension}"` }),
    'X-Total-Count': String(total),
    'X-Export-Truncated': String(total > identifiers.length),
    'X-Export-Start-Date': startDate,
  };
}
