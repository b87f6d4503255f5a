import type { SurveyQuestion } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import type { Answers } from '../responses/answers';
import type { ResponseRecord } from '../responses/response-record';

/** A response without what tells whose it is: choices, scores and times stay. */
export function anonymizedResponse(
  response: ResponseRecord,
  questions: readonly SurveyQuestion[],
): ResponseRecord {
  return {
    ...response,
    user_name: null,
    user_phone: null,
    user_email: null,
    transaction_id: null,
    tags: [],
    metadata_mappings: null,
    answers: response.answers && withoutTexts(response.answers, questions),
  };
}

/** An answer to a question that the campaign does not have may be a text. */
function withoutTexts(answers: Answers, questions: readonly SurveyQuestion[]): Record<string, unknown> {
  const kept = questions.flatMap((question) => {
    const id = String(question.id);
    if (!Object.hasOwn(answers, id)) return [];
    const answer = QUESTION_KINDS[question.type].withoutTexts(question, answers[id]);
    return answer === undefined ? [] : [[id, answer] as const];
  });
  return Object.fromEntries(kept);
}
