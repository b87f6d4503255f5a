import type { InvalidItem } from '@cxp/error-envelopes';
import type { QuestionsById } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import type { Answers } from './answers';

/**
 * Everything in recorded answers that has not the structure of its question's type. A question that is left out, or `null`, was not
 * answered. A question that the campaign does not have is no problem: campaigns are edited, and their history is accepted again.
 * @returns items whose `loc` starts at the response: `["answers", "12", "3"]`
 */
export function* checkRecordedAnswers(answers: Answers, questions: QuestionsById): Generator<InvalidItem> {
  for (const [questionId, answer] of Object.entries(answers)) {
    const question = questions.get(questionId);
    if (!question || answer === null) continue;
    for (const item of QUESTION_KINDS[question.type].checkRecorded(answer)) {
      yield { ...item, loc: ['answers', questionId, ...item.loc] };
    }
  }
}
