import { checkChoice, isOption, optionControls, selectionColumn } from './choices';
import { type LocalProblem, problem, type QuestionKind, refuse, textProblems } from './question-kind';

/** Any number of several options. */
export const checkbox: QuestionKind = {
  hasOneControl: false,
  canBeCleared: false,
  hint: (_, { chooseSeveral }) => chooseSeveral,
  controls: (props) => optionControls(props, 'checkbox'),
  readField: (values) => values,

  checkSubmitted(question, answer) {
    if (!Array.isArray(answer)) return refuse('list_type');
    const chosen = new Set<unknown>();
    const problems = answer.flatMap((choice: unknown, index): LocalProblem[] => {
      const checked = checkChoice(question, choice);
      if ('problems' in checked) return checked.problems.map(({ type }) => ({ path: [index], type }));
      const isRepeated = chosen.has(choice);
      chosen.add(choice);
      return isRepeated ? [{ path: [index], type: 'duplicate_option' }] : [];
    });
    if (problems.length > 0) return { problems };
    return answer.length === 0 ? {} : { answer };
  },

  checkRecorded(answer) {
    if (!Array.isArray(answer)) return [problem([], 'Input should be a valid list', 'list_type')];
    return answer.flatMap((choice, index) => textProblems(choice).map((item) => ({ ...item, loc: [index] })));
  },

  columns: selectionColumn,

  withoutTexts(question, answer) {
    const options = (Array.isArray(answer) ? answer : []).filter((choice) => isOption(question, choice));
    return options.length > 0 ? options : undefined;
  },
};
