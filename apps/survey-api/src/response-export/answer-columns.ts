import type { SurveyQuestion } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import type { AnswerColumn } from '../questions/question-kind';

/** The question columns, in the order of the questions; matrix and ranking questions have one for each row or option. */
export function answerColumns(questions: readonly SurveyQuestion[]): AnswerColumn[] {
  return questions.flatMap((question) => QUESTION_KINDS[question.type].columns(question));
}
