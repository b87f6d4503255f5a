import { questionsById, type SurveyQuestion } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import { refuse, type Checked, type LocalProblem } from '../questions/question-kind';
import type { Answers, JsonObject } from '../responses/answers';

export interface AnswerProblem extends LocalProblem {
  readonly questionId: string;
}

export interface CheckedAnswers {
  /** The answered questions only, in the structure that responses are stored in. */
  readonly answers: Answers;
  readonly problems: readonly AnswerProblem[];
}

/** Checks submitted answers by the questions as they are now. Every question may be left out, or left empty. */
export function checkSubmittedAnswers(
  submitted: JsonObject,
  questions: readonly SurveyQuestion[],
): CheckedAnswers {
  const byId = questionsById(questions);
  const answers: [string, unknown][] = [];
  const problems: AnswerProblem[] = [];
  for (const [questionId, answer] of Object.entries(submitted)) {
    const checked = checkAnswer(byId.get(questionId), answer);
    if ('problems' in checked) {
      for (const problem of checked.problems) problems.push({ questionId, ...problem });
    } else if (checked.answer !== undefined) answers.push([questionId, checked.answer]);
  }
  return { answers: Object.fromEntries(answers), problems };
}

function checkAnswer(question: SurveyQuestion | undefined, answer: unknown): Checked<unknown> {
  if (!question) return refuse('unknown_question');
  return answer === null || answer === ''
    ? {}
    : QUESTION_KINDS[question.type].checkSubmitted(question, answer);
}
