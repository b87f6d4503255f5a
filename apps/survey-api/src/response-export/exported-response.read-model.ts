import { Injectable } from '@nestjs/common';
import {
  DependencyUnavailableError,
  jsonColumn,
  nextLimit,
  numberColumn,
  precedingBytes,
  type RowOf,
  Statement,
  textsColumn,
} from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { ResponseWindow } from '../responses/response-window';
import { responseColumns } from '../responses/survey-response';

/** The responses of an export, all taken from one snapshot. */
export type ExportSelection = RowOf<typeof SELECTION>;

const SELECTION = {
  /** How many responses the window holds. */
  total: numberColumn(`(
    SELECT coalesce(sum(responses), 0)
    FROM survey.response_block
    WHERE organization_id = $1 AND campaign_id = $2 AND starts_at >= $3 AND starts_at < $4
  )`),
  /** In the order of the export. */
  identifiers: textsColumn(`ARRAY(
    SELECT identifier
    FROM survey.response
    WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at >= $3 AND earliest_at < $4
    ORDER BY earliest_at, identifier
    LIMIT $5
  )`),
};

/** $1 organization, $2 campaign, $3 and $4 window, $5 limit. */
const SELECT = new Statement(SELECTION, (list) => `SELECT ${list}`);

/** One read holds at most this many responses, and stops after the one that reaches this many bytes. */
const PAGE_RESPONSES = 100;
const PAGE_BYTES = 512 * 1024;

/** A response as a file shows it. */
export type ExportedResponse = RowOf<typeof EXPORTED_RESPONSE>;

const EXPORTED_RESPONSE = {
  ...responseColumns('response'),
  tags: jsonColumn<readonly string[]>('response.tags'),
};

/** $1 organization, $2 campaign, $3 identifiers, $4 bytes. `OFFSET 0`: a lookup of the primary key for each identifier. */
const READ_PAGE = new Statement(
  /** `place`: from 1, in the identifiers that were asked for. */
  { ...EXPORTED_RESPONSE, place: numberColumn('place') },
  (list) => `SELECT ${list} FROM (
     SELECT response.*, key.place, ${precedingBytes('response.bytes', 'key.place')} AS preceding_bytes
     FROM unnest($3::uuid[]) WITH ORDINALITY AS key (identifier, place)
     CROSS JOIN LATERAL (
       SELECT * FROM survey.response WHERE organization_id = $1 AND identifier = key.identifier OFFSET 0
     ) AS response
     WHERE response.campaign_id = $2
   ) AS response
   WHERE preceding_bytes < $4
   ORDER BY place`,
  'prepared',
);

/**
 * Reads an export in two steps: which responses it holds, in one statement, and then the responses page by page, each page
 * in a statement of its own. Between two pages nothing is held, neither a connection nor a snapshot, so that a client may
 * take as long as it likes. A response that changes meanwhile is exported in its new state.
 */
@Injectable()
export class ExportedResponseReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** The earliest ones of the window, at most so many. */
  async select(
    organizationId: string,
    { window: { campaignId, from, before }, limit }: { window: ResponseWindow; limit: number },
  ): Promise<ExportSelection> {
    const selection = await SELECT.first(this.manager, [organizationId, campaignId, from, before, limit]);
    return selection!;
  }

  /**
   * Reads the next of the given responses, as many as one page holds.
   * @param previous the page before, by whose size the number is estimated
   * @throws DependencyUnavailableError if one of them is no longer a response of the campaign: a file without it would
   *   contradict its headers, and the client has to export again
   */
  async readPage(
    organizationId: string,
    campaignId: string,
    identifiers: readonly string[],
    previous?: readonly ExportedResponse[],
  ): Promise<ExportedResponse[]> {
    const page = await READ_PAGE.run(this.manager, [
      organizationId,
      campaignId,
      identifiers.slice(0, previous ? nextLimit(previous, PAGE_RESPONSES) : PAGE_RESPONSES),
      PAGE_BYTES,
    ]);
    if (page.length === 0 || page.at(-1)!.place !== page.length) {
      throw new DependencyUnavailableError('A response was removed while it was exported');
    }
    return page;
  }
}
