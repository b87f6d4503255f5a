import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { nextTurn } from '@cxp/service-kit';
import { DependencyUnavailableError, inPieces, readAhead } from '@cxp/storage';
import { type DayWindow, instantsOf, shortenWindow } from '../calendar/day-window';
import { type Campaign, CampaignRepository } from '../campaigns/campaign.repository';
import { rejectUnknownCampaign, type ResponseWindowQuery } from '../responses/response.dto';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import type { StoredResponse } from '../responses/response-fields';
import { ResponseReadModel, type ResponseSelection } from '../responses/response.read-model';
import { SurveySettings } from '../settings';
import { type ExportColumn, exportColumns } from './export-columns';
import { EXPORT_FORMATS, type ExportMediaType } from './export-formats';

/** The maximum number of responses in one export. */
const MAX_RESPONSES = 5_000;

/** Responses of one read; an export holds those of two. */
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
   * Selects the responses and reads the first of them; the body reads the others while it is read.
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
    // A failure until here is answered with its status; later ones can only cut the connection.
    const pages = await this.readPages(organizationId, campaign.id, selection.identifiers, stop);
    const columns = exportColumns(campaign, [...variables.values()]);
    // A campaign may have 20,000 columns: their names are made in one turn, and written in another one.
    await nextTurn();
    const body = EXPORT_FORMATS[mediaType].write({
      columns,
      pages: paced(pages, columns),
      guardFormulas: this.settings.SURVEY_EXPORT_FORMULA_GUARD,
    });
    return { headers: headersOf(mediaType, campaign, days, selection), body };
  }

  /**
   * The selected responses as they are when they are read, each read in a statement of its own. Between two of them nothing is held.
   * @returns when the first responses are read
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
      // A file without it would contradict its headers: the client has to export again.
      if (responses.length < asked.length) {
        throw new DependencyUnavailableError('A response was removed while it was exported');
      }
      return responses;
    };
    const nextOf = () => (place < identifiers.length ? readNext : undefined);
    return readAhead(organizationId, await readNext(), nextOf, stop);
  }
}

/** Cells that are made before anything else gets its turn: a few milliseconds of work. */
const TURN_CELLS = 10_000;

/** JSON repeats the name of a column: so many characters of it take as long as a cell. */
const CELL_CHARACTERS = 50;

/** The same responses, fewer at a time if they have many columns, or long names of columns. */
async function* paced(
  pages: AsyncIterable<readonly StoredResponse[]>,
  columns: readonly ExportColumn[],
): AsyncGenerator<readonly StoredResponse[]> {
  const cells = columns.reduce((sum, { name }) => sum + 1 + name.length / CELL_CHARACTERS, 0);
  const rows = Math.max(1, Math.floor(TURN_CELLS / cells));
  for await (const page of pages) {
    for (const some of inPieces(page, rows)) {
      await nextTurn();
      yield some;
    }
  }
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
