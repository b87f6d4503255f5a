import type { SurveyQuestion } from '../campaigns/survey-question';
import type { JsonObject } from '../responses/answers';

/** The values of a form's fields by name, in the order in which they were sent. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** The field that holds the sealed response id. */
export const IDENTIFIER_FIELD = 'identifier';

/** `q12` is the field of question 12, `q12.31` that of its row or option 31. */
const ANSWER_FIELD = /^q(-?\d+)(?:\.(.*))?$/s;

export function questionField({ id }: Pick<SurveyQuestion, 'id'>, part?: string): string {
  return part === undefined ? `q${id}` : `q${id}.${part}`;
}

/**
 * The fields of an `application/x-www-form-urlencoded` body.
 * @returns undefined when an escape in it is broken, or it is not UTF-8
 */
export function parseForm(body: string): FormFields | undefined {
  try {
    // `URLSearchParams` replaces silently what this refuses.
    decodeURIComponent(body.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(body)) {
    const values = fields.get(name);
    if (values) values.push(value);
    else fields.set(name, [value]);
  }
  return fields;
}

/** What a form's fields hold of one question. */
interface QuestionFields {
  readonly own: string[];
  readonly parts: [part: string, values: readonly string[]][];
}

/**
 * The answers that a form holds, in the structure of a JSON submission; empty fields were not answered. What does not have
 * the shape of its question keeps its own, which `judgeAnswers` refuses.
 */
export function answersOfForm(fields: FormFields, questions: readonly SurveyQuestion[]): JsonObject {
  const types = new Map(questions.map(({ id, type }) => [String(id), type]));
  const byQuestion = new Map<string, QuestionFields>();
  for (const [name, sent] of fields) {
    const [, questionId, part] = ANSWER_FIELD.exec(name) ?? [];
    const values = sent.filter((value) => value !== '');
    if (questionId === undefined || values.length === 0) continue;
    const question = byQuestion.get(questionId) ?? { own: [], parts: [] };
    if (part === undefined) question.own.push(...values);
    else question.parts.push([part, values]);
    byQuestion.set(questionId, question);
  }
  return Object.fromEntries(
    [...byQuestion].map(([questionId, { own, parts }]) => {
      const type = types.get(questionId);
      if (own.length > 0 && parts.length > 0) return [questionId, [own, parts]];
      if (parts.length === 0) return [questionId, type === 'checkbox' ? own : single(own)];
      const entries = parts.map(([part, values]) => [part, partAnswer(type, values)]);
      return [questionId, Object.fromEntries(entries)];
    }),
  );
}

function partAnswer(type: SurveyQuestion['type'] | undefined, values: readonly string[]): unknown {
  const value = single(values);
  return type === 'ranking' && typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value;
}

/** A field that may be there once only; more of it are no text, and refused as such. */
function single(values: readonly string[]): unknown {
  return values.length === 1 ? values[0] : values;
}

/** Browsers send line breaks as CRLF, programs as LF: an answer is the same either way. */
export function unifyLineBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
