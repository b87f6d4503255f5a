import type { QuestionType } from '@cxp/records';
import type { FastifyRequest } from 'fastify';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { receiveBody } from '@cxp/service-kit';
import type { JsonObject, SurveyQuestion } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import { type FormFields, questionField, single, unifyLineBreaks } from '../questions/question-kind';
import { showsOptions } from '../questions/choices';

export const IDENTIFIER_FIELD = 'identifier';

const ANSWER_FIELD = /^q(-?\d+)(?:\.(.*))?$/s;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads `application/x-www-form-urlencoded`.
 * @returns undefined for a broken escape or invalid UTF-8
 */
export function parseForm(bytes: Buffer): FormFields | undefined {
  let body: string;
  try {
    body = utf8.decode(bytes);
    // `URLSearchParams` would replace invalid escapes silently.
    decodeURIComponent(body.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
  const fields = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(body)) {
    const unified = unifyLineBreaks(name);
    const values = fields.get(unified);
    if (values) values.push(value);
    else fields.set(unified, [value]);
  }
  return fields;
}

/** An address can preselect answers of these types, which are option ids. */
const CHOSEN_TYPES: readonly QuestionType[] = ['multiple_choice', 'checkbox'];

/** The options that a page's address preselects (`?q11=4`), as a form sends them. Unknown options are ignored. */
export function chosenFields(
  query: Readonly<Record<string, unknown>>,
  questions: readonly SurveyQuestion[],
): FormFields {
  const chosen = new Map<string, readonly string[]>();
  for (const question of questions) {
    const name = questionField(question);
    if (!CHOSEN_TYPES.includes(question.type) || !Object.hasOwn(query, name)) continue;
    const isShown = showsOptions(question);
    const sent = [query[name]].flat().filter((value) => typeof value === 'string');
    const options = new Set(sent.filter((value) => isShown(value, undefined)));
    const isAnswer = question.type === 'checkbox' ? options.size > 0 : options.size === 1;
    if (isAnswer) chosen.set(name, [...options]);
  }
  return chosen;
}

/** The typed values of the question's own field and of its rows or options. */
export interface TypedAnswer {
  own: readonly string[];
  readonly parts: [part: string, values: readonly string[]][];
}

/** By question id; empty fields count as unanswered. */
export function typedAnswers(fields: FormFields): ReadonlyMap<string, TypedAnswer> {
  const byQuestion = new Map<string, TypedAnswer>();
  for (const [name, sent] of fields) {
    const [, questionId, part] = ANSWER_FIELD.exec(name) ?? [];
    const values = sent.filter((value) => value !== '');
    if (questionId === undefined || values.length === 0) continue;
    const question = byQuestion.get(questionId) ?? { own: [], parts: [] };
    if (part === undefined) question.own = values;
    else question.parts.push([part, values]);
    byQuestion.set(questionId, question);
  }
  return byQuestion;
}

/**
 * Structures a form's answers like recorded ones. Values of the wrong shape stay as they are; `checkSubmittedAnswers` refuses
 * them.
 */
export function answersOfForm(fields: FormFields, questions: readonly SurveyQuestion[]): JsonObject {
  const types = new Map(questions.map(({ id, type }) => [String(id), type]));
  return Object.fromEntries(
    [...typedAnswers(fields)].map(([questionId, { own, parts }]) => {
      const type = types.get(questionId);
      const { readField = single, readPart = single } = type ? QUESTION_KINDS[type] : {};
      if (own.length > 0 && parts.length > 0) return [questionId, [own, parts]];
      if (parts.length === 0) return [questionId, readField(own)];
      return [questionId, Object.fromEntries(parts.map(([part, values]) => [part, readPart(values)]))];
    }),
  );
}

const MAX_BODY_BYTES = 64 * 1_024;
const FORM = 'application/x-www-form-urlencoded';

/** @throws ProblemError 413 or 422 */
export async function readForm(request: FastifyRequest): Promise<FormFields> {
  const { bytes, contentType } = await receiveBody(request, { receivedBytes: MAX_BODY_BYTES });
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  const fields = type.trim() === FORM ? parseForm(bytes) : undefined;
  if (fields) return fields;
  return rejectAsInvalid({ loc: ['body'], msg: `body must be ${FORM} in UTF-8`, type: 'form_invalid' });
}
