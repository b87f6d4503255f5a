import { SESSION_COLUMNS } from '@cxp/contact-center-export/conversation-sessions/session-columns';
import type { ParquetColumn, ParquetRow } from '@cxp/spreadsheet';
import { CAMPAIGN_COLUMN, RESPONSE_COLUMNS } from '@cxp/survey-api/response-export/response-columns';
import type { FollowedArea } from './followed-area';

export type FileColumn = ParquetColumn<ParquetRow>;

/** The columns of an area's rows: those of the Parquet file that the service answers. */
export const FILE_COLUMNS: Readonly<Record<FollowedArea['name'], readonly FileColumn[]>> = {
  'contact-center': SESSION_COLUMNS,
  survey: [...RESPONSE_COLUMNS, CAMPAIGN_COLUMN],
};
