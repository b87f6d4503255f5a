import type { QuestionsById } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import type { Answers } from '../responses/answers';
import { type ResponseRecord, withoutPersonalFields } from '../responses/response-fields';

/** A response without the data of its person: choices, scores and times stay. */
export function anonymizedResponse(
  response: ResponseRecord,
  questions: QuestionsById | undefined,
): ResponseRecord {
  return {
    ...withoutPersonalFields(response),
    answers: response.answers && withoutTexts(response.answers, questions ?? new Map()),
  };
}

/** An answer to a question that the campaign does not have may be a text. */
function withoutTexts(answers: Answers, questions: QuestionsById): Record<string, unknown> {
  const kept = Object.entries(answers).flatMap(([id, given]) => {
    const question = questions.get(id);
    const answer = question && QUESTION_KINDS[question.type].withoutTexts(question, given);
    return answer === undefined ? [] : [[id, answer] as const];
  });
  return Object.fromEntries(kept);
}
