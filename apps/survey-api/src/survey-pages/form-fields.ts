import type { FastifyRequest } from 'fastify';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { receiveBody } from '@cxp/service-kit';
import type { SurveyQuestion } from '../campaigns/survey-question';
import { QUESTION_KINDS, type TypedAnswers } from '../questions';
import { questionField, type TypedAnswer, unifyLineBreaks } from '../questions/question-kind';

/** Values by field name, in the sent order. Names have unified line breaks. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

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

/** By question id; empty fields count as unanswered. */
export function typedAnswers(fields: FormFields): TypedAnswers {
  const byQuestion = new Map<string, { own: readonly string[]; parts: Map<string, readonly string[]> }>();
  for (const [name, sent] of fields) {
    const [, questionId, part] = ANSWER_FIELD.exec(name) ?? [];
    const values = sent.filter((value) => value !== '');
    if (questionId === undefined || values.length === 0) continue;
    const typed = byQuestion.get(questionId) ?? { own: [], parts: new Map() };
    if (part === undefined) typed.own = values;
    else typed.parts.set(part, values);
    byQuestion.set(questionId, typed);
  }
  return byQuestion;
}

/** The options that a page's address preselects (`?q11=4`). Unknown options are ignored. */
export function preselectedAnswers(
  query: Readonly<Record<string, unknown>>,
  questions: readonly SurveyQuestion[],
): TypedAnswers {
  const chosen = new Map<string, TypedAnswer>();
  for (const question of questions) {
    const { parts, values: optionOf } = QUESTION_KINDS[question.type].choices(question);
    const name = questionField(question);
    if (parts || !optionOf || !Object.hasOwn(query, name)) continue;
    const sent = [query[name]].flat().filter((value) => typeof value === 'string');
    const own = [...new Set(sent.filter((value) => optionOf(value) !== undefined))];
    const isAnswer = question.type === 'checkbox' ? own.length > 0 : own.length === 1;
    if (isAnswer) chosen.set(String(question.id), { own, parts: new Map() });
  }
  return chosen;
}

const MAX_BODY_BYTES = 64 * 1_024;
const FORM = 'application/x-www-form-urlencoded';

/** Read when they are needed: thousands of fields take fifty times their bytes. */
export type ReceivedForm = () => FormFields;

/** @returns reads it, or throws ProblemError 413 or 422 */
export async function receiveForm(request: FastifyRequest): Promise<ReceivedForm> {
  const body = await receiveBody(request, { receivedBytes: MAX_BODY_BYTES });
  return () => {
    const { bytes, contentType } = body;
    const [type = ''] = contentType.toLowerCase().split(';', 1);
    const fields = type.trim() === FORM ? parseForm(bytes) : undefined;
    if (fields) return fields;
    return rejectAsInvalid({ loc: ['body'], msg: `body must be ${FORM} in UTF-8`, type: 'form_invalid' });
  };
}
