import { choiceCheck, showsOptions, optionControls, selectionColumn } from './choices';
import { type LocalProblem, problem, type QuestionKind, refuse, textProblems } from './question-kind';

export const checkbox: QuestionKind = {
  hasOneControl: false,
  canBeCleared: false,
  hint: (_, { chooseSeveral }) => chooseSeveral,
  controls: (props) => optionControls(props, 'checkbox'),
  readField: (values) => values,
  shows: showsOptions,

  checkSubmitted(question, answer) {
    if (!Array.isArray(answer)) return refuse('list_type');
    const check = choiceCheck(question);
    const chosen = new Set<unknown>();
    const problems = answer.flatMap((choice: unknown, index): LocalProblem[] => {
      const checked = check(choice);
      if ('problems' in checked) return checked.problems.map(({ type }) => ({ path: [index], type }));
      const isRepeated = chosen.size === chosen.add(checked.answer).size;
      return isRepeated ? [{ path: [index], type: 'duplicate_option' }] : [];
    });
    if (problems.length > 0) return { problems };
    return chosen.size === 0 ? {} : { answer: [...chosen] };
  },

  checkRecorded(answer) {
    if (!Array.isArray(answer)) return [problem([], 'Input should be a valid list', 'list_type')];
    return answer.flatMap((choice, index) => textProblems(choice).map((item) => ({ ...item, loc: [index] })));
  },

  columns: selectionColumn,
};
