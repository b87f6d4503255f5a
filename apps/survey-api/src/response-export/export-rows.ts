import type { SurveyResponse } from '../responses/survey-response';
import type { Cell } from './cell';
import type { ExportColumn } from './export-columns';

/** The rows of a table: the column names, then one row per response, made as they are asked for. */
export async function* exportRows(
  columns: readonly ExportColumn[],
  responses: AsyncIterable<SurveyResponse>,
): AsyncGenerator<Cell[]> {
  yield columns.map(({ name }) => name);
  for await (const response of responses) yield columns.map(({ value }) => value(response));
}
