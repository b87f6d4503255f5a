import type { Cell } from '@cxp/spreadsheet';
import type { Campaign } from '../campaigns/campaign.repository';
import type { SurveyResponse } from '../responses/survey-response';
import { QUESTION_KINDS } from '../questions';
import { listCell, valueCell } from '../questions/cell';

/** A column of the export: its heading, and what it shows of a response. */
export interface ExportColumn {
  readonly name: string;
  readonly value: (response: SurveyResponse) => Cell;
}

/** What the export needs to know of the campaign. */
export type ExportedCampaign = Pick<Campaign, 'id' | 'name' | 'touchpoints' | 'questions'>;

/**
 * Every column of a campaign's export, in the contract's order.
 * @param metadataVariables the variables of all the organization's metadata fields, by id
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
      .flatMap((question) => QUESTION_KINDS[question.type].columns(question))
      .map(({ name, value }) => ({ name, value: ({ answers }: SurveyResponse) => value(answers ?? {}) })),
    ...metadataVariables.map(metadataColumn),
  ];
}

const responseColumns: readonly ExportColumn[] = [
  { name: 'Response ID', value: ({ identifier }) => identifier },
  { name: 'Timestamp sent', value: ({ sentAt }) => sentAt },
  { name: 'Timestamp sending failed', value: ({ sendingFailedAt }) => sendingFailedAt },
  { name: 'Timestamp opened', value: ({ openedAt }) => openedAt },
  { name: 'Timestamp answered', value: ({ answeredAt }) => answeredAt },
  { name: 'Customer name', value: ({ userName }) => userName },
  { name: 'Customer phone', value: ({ userPhone }) => userPhone },
  { name: 'Customer email', value: ({ userEmail }) => userEmail },
  { name: 'Distribution channel', value: ({ source }) => source },
  { name: 'Transaction ID', value: ({ transactionId }) => transactionId },
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
    value: ({ metadataMappings }) =>
      metadataMappings && Object.hasOwn(metadataMappings, variable)
        ? valueCell(metadataMappings[variable])
        : null,
  };
}
