import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { CampaignRepository, type Campaign } from '../campaigns/campaign.repository';
import { rejectUnknownCampaign } from '../campaigns/unknown-campaign';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { changeCursor } from '../responses/change-cursor';
import { instantsOf, shortenWindow, type DayWindow } from '../responses/day-window';
import type { ResponseWindowQuery } from '../responses/response-window.dto';
import { SurveySettings } from '../settings';
import { exportColumns } from './export-columns';
import { EXPORT_FORMATS, type ExportMediaType } from './export-formats';
import { ExportedResponseReadModel, type ExportedResponses } from './exported-response.read-model';

/** The most responses in one export. */
const MOST_RESPONSES = 5_000;

export interface ResponseExport {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

@Injectable()
export class ResponseExportService {
  constructor(
    private readonly campaigns: CampaignRepository,
    private readonly fields: MetadataFieldRepository,
    private readonly responses: ExportedResponseReadModel,
    private readonly settings: SurveySettings,
  ) {}

  /**
   * Begins to export; the body makes its rows as it is read.
   * @throws ProblemError 422 when the organization has no such campaign
   */
  async open(
    organizationId: string,
    query: ResponseWindowQuery,
    mediaType: ExportMediaType,
  ): Promise<ResponseExport> {
    const campaign = await this.campaigns.find(organizationId, query.survey_campaign_id);
    if (!campaign) rejectUnknownCampaign();
    const variables = await this.fields.listVariables(organizationId);
    const days = shortenWindow(
      { startDate: query.start_date, endDate: query.end_date },
      this.settings.SURVEY_EXPORT_WINDOW_DAYS,
    );
    const exported = await this.responses.open({
      window: { organizationId, campaignId: campaign.id, ...instantsOf(days) },
      limit: MOST_RESPONSES,
      after: query.cursor,
    });
    const body = EXPORT_FORMATS[mediaType].write({
      columns: exportColumns(campaign, [...variables.values()]),
      responses: exported.responses,
      guardFormulas: this.settings.SURVEY_EXPORT_FORMULA_GUARD,
    });
    // However it ends: read to its end, failed, or left by its client.
    body.once('close', exported.close);
    return { headers: headersOf(mediaType, campaign, days, exported), body };
  }
}

function headersOf(
  mediaType: ExportMediaType,
  campaign: Campaign,
  { startDate, endDate }: DayWindow,
  { total, truncated, lastChange }: ExportedResponses,
): Record<string, string> {
  const { extension } = EXPORT_FORMATS[mediaType];
  const name = `survey-responses_${campaign.id}_${startDate}_${endDate}`;
  return {
    'content-type': mediaType,
    vary: 'Accept',
    ...(extension && { 'content-disposition': `attachment; filename="${name}.${extension}"` }),
    'X-Total-Count': String(total),
    'X-Export-Truncated': String(truncated),
    'X-Export-Start-Date': startDate,
    ...(lastChange !== undefined && { 'X-Export-Next-Cursor': changeCursor(lastChange) }),
  };
}
