import type { Cell } from '@cxp/spreadsheet';
import type { Campaign } from '../campaigns/campaign.repository';
import { QUESTION_KINDS } from '../questions';
import { listCell, valueCell } from '../questions/question-kind';
import type { StoredResponse } from '../responses/response-fields';

export interface ExportColumn {
  readonly name: string;
  readonly value: (response: StoredResponse) => Cell;
  /** Whether cells are numbers where possible, so that spreadsheets calculate with them. */
  readonly isScore?: boolean;
}

export type ExportedCampaign = Pick<Campaign, 'id' | 'name' | 'touchpoints' | 'questions'>;

/**
 * Columns are in the contract's order.
 * @param metadataVariables of all metadata fields, by id
 */
export function exportColumns(
  campaign: ExportedCampaign,
  metadataVariables: readonly string[],
): ExportColumn[] {
  return [
    ...responseColumns,
    ...campaignColumns(campaign),
    { name: 'Tags', value: ({ tags }) => listCell(tags) },
    ...campaign.questions
      .flatMap((question) =>
        QUESTION_KINDS[question.type]
          .columns(question)
          .map((column) => ({ ...column, isScore: question.metric_type !== null })),
      )
      .map(({ value, ...column }) => ({
        ...column,
        value: ({ answers }: StoredResponse) => value(answers ?? {}),
      })),
    ...metadataVariables.map(metadataColumn),
  ];
}

const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;

export function typedCell({ value, isScore }: ExportColumn, response: StoredResponse): Cell {
  const cell = value(response);
  return isScore && typeof cell === 'string' && NUMBER.test(cell) ? Number(cell) : cell;
}

const responseColumns: readonly ExportColumn[] = [
  { name: 'Response ID', value: ({ identifier }) => identifier },
  { name: 'Timestamp sent', value: ({ sent_timestamp }) => sent_timestamp },
  { name: 'Timestamp sending failed', value: ({ sending_failed_timestamp }) => sending_failed_timestamp },
  { name: 'Timestamp opened', value: ({ opened_timestamp }) => opened_timestamp },
  { name: 'Timestamp answered', value: ({ answered_timestamp }) => answered_timestamp },
  { name: 'Customer name', value: ({ user_name }) => user_name },
  { name: 'Customer phone', value: ({ user_phone }) => user_phone },
  { name: 'Customer email', value: ({ user_email }) => user_email },
  { name: 'Distribution channel', value: ({ source }) => source },
  { name: 'Transaction ID', value: ({ transaction_id }) => transaction_id },
];

function campaignColumns({ id, name, touchpoints }: ExportedCampaign): ExportColumn[] {
  const touchpointList = listCell(touchpoints);
  return [
    { name: 'Campaign ID', value: () => id },
    { name: 'Campaign Name', value: () => name },
    { name: 'Touchpoints', value: () => touchpointList },
  ];
}

function metadataColumn(variable: string): ExportColumn {
  return {
    name: variable,
    value: ({ metadata_mappings }) =>
      metadata_mappings && Object.hasOwn(metadata_mappings, variable)
        ? valueCell(metadata_mappings[variable])
        : null,
  };
}
