import type { SurveyQuestion } from '../campaigns/survey-question';

/** The values of a form's fields by name, in the order in which they were sent. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** `q12` is the field of question 12, `q12.31` that of its row or option 31. */
export function questionField({ id }: Pick<SurveyQuestion, 'id'>, part?: string): string {
  return part === undefined ? `q${id}` : `q${id}.${part}`;
}

/** A field that may be there once only; more of it are no text, and refused as such. */
export function single(values: readonly string[]): unknown {
  return values.length === 1 ? values[0] : values;
}

/** Browsers send line breaks as CRLF, programs as LF: an answer is the same either way. */
export function unifyLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
