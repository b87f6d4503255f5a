import { isVisibleText } from '@cxp/identifiers';
import type { VNode } from 'preact';
import type { SurveyQuestion } from '../../campaigns/survey-question';
import { type AnswerProblems, QUESTION_KINDS, type TypedAnswers, unshownValues } from '../../questions';
import {
  type AnswerProblem,
  firstControlId,
  questionField,
  type TypedAnswer,
} from '../../questions/question-kind';
import { IDENTIFIER_FIELD } from '../form-fields';
import type { PageBrand } from '../brand';
import { type Language, PAGE_TEXTS, type PageTexts } from '../page-texts';
import { BrandMark, renderDocument } from './document';

export interface SurveyForm {
  readonly language: Language;
  readonly campaignName: string;
  /** Of the campaign's texts; null: nobody has said. */
  readonly campaignLanguage: Language | null;
  readonly questions: readonly SurveyQuestion[];
  readonly identifier: string;
  readonly action: string;
  readonly scriptUrl: string;
  /** This page in the other language: with what is typed if the form is posted to it. */
  readonly otherLanguageUrl: string;
  readonly brand?: PageBrand;
  readonly typed: TypedAnswers;
  /** Why the answers were refused; an empty map: nothing was answered. */
  readonly problems?: AnswerProblems;
}

export function surveyName({
  campaignName,
  language,
}: Pick<SurveyForm, 'campaignName' | 'language'>): string {
  return isVisibleText(campaignName) ? campaignName.trim() : PAGE_TEXTS[language].survey;
}

export function renderSurvey(form: SurveyForm): string {
  const { language, questions, typed, problems, scriptUrl, brand } = form;
  const texts = PAGE_TEXTS[language];
  const name = surveyName(form);
  const title = problems ? texts.errorPrefix + name : name;
  return renderDocument(
    { language, title: brand ? `${title} – ${brand.name}` : title, scriptUrl, brand },
    <>
      <header class="band">
        <div class="inner">
          <div class="top">
            {brand && <BrandMark brand={brand} />}
            {/* The first button of a form is the one that Enter in a field presses. */}
            <button class="unseen" form={FORM_ID} tabindex={-1} aria-hidden="true" />
            <button
              class="language"
              form={FORM_ID}
              formaction={form.otherLanguageUrl}
              lang={texts.otherLanguage.language}
            >
              {texts.otherLanguage.name}
            </button>
          </div>
          <h1 dir="auto" lang={form.campaignLanguage ?? undefined}>
            {name}
          </h1>
          <p class="intro">{texts.intro(questions.length)}</p>
        </div>
      </header>
      <main>
        {problems && (
          <div class="card alert" role="alert" tabindex={-1} autofocus>
            <h2>{texts.errorTitle}</h2>
            {problems.size === 0 ? (
              <p>{texts.nothingAnswered}</p>
            ) : (
              <ProblemList form={form} problems={problems} texts={texts} />
            )}
          </div>
        )}
        <form id={FORM_ID} method="post" action={form.action}>
          <input type="hidden" name={IDENTIFIER_FIELD} value={form.identifier} />
          {questions.map((question, index) => (
            <Question key={question.id} form={form} texts={texts} question={question} index={index} />
          ))}
          <div class="send">
            <p class="done">
              <span class="count" />/{questions.length} {texts.answered}
            </p>
            <button class="submit">{texts.submit}</button>
            <p
              id="status"
              role="status"
              data-sending={texts.sending}
              data-not-sent={texts.notSent}
              data-failed={texts.notices.failed.text}
            >
              {!problems && typed.size > 0 && texts.chosen}
            </p>
          </div>
          <div class="notes">
            <p>{texts.privacy}</p>
          </div>
        </form>
      </main>
    </>,
  );
}

const FORM_ID = 'answers';

interface QuestionProps {
  readonly form: SurveyForm;
  readonly texts: PageTexts;
  readonly question: SurveyQuestion;
  readonly index: number;
}

const NOTHING_TYPED: TypedAnswer = { own: [], parts: new Map() };

function Question({ form, question, index, texts }: QuestionProps): VNode {
  const { hint, hasOneControl, canBeCleared, controls } = QUESTION_KINDS[question.type];
  const id = String(question.id);
  const typed = form.typed.get(id) ?? NOTHING_TYPED;
  const problem = form.problems?.get(id);
  const isFaulty = problem !== undefined;
  const className = isFaulty ? 'card question faulty' : 'card question';
  const lang = form.campaignLanguage ?? undefined;
  // What the page says stands between texts of the campaign.
  const own = lang && texts.language;
  const [hintId, errorId] = [`q${id}-hint`, `q${id}-error`];
  const describedBy = isFaulty ? `${errorId} ${hintId}` : hintId;
  const heading = (
    <>
      <span class="number" lang={own}>
        {texts.question(index + 1, form.questions.length)}
      </span>
      <span dir="auto">{question.title}</span>
    </>
  );
  const content = (
    <>
      <p class="hint" id={hintId} lang={own}>
        {hint(question, texts)}
      </p>
      {isFaulty && (
        <p class="error" id={errorId} lang={own}>
          {errorOf(problem, question, texts)}
        </p>
      )}
      <Unshown values={unshownValues(question, typed)} texts={texts} />
      <div class="body">
        {[...controls({ question, texts, typed, describedBy, isFaulty })]}
        {canBeCleared && (
          <button type="button" class="clear" lang={own} hidden>
            {texts.clear}
          </button>
        )}
      </div>
    </>
  );
  if (hasOneControl) {
    return (
      <div class={className} id={questionField(question)} lang={lang} data-question={question.id}>
        <h2>
          <label for={firstControlId(question)}>{heading}</label>
        </h2>
        {content}
      </div>
    );
  }
  return (
    <fieldset
      class={className}
      id={questionField(question)}
      lang={lang}
      aria-describedby={describedBy}
      data-question={question.id}
    >
      <legend>
        <h2>{heading}</h2>
      </legend>
      {content}
    </fieldset>
  );
}

function errorOf(problem: AnswerProblem, { option_titles_by_id }: SurveyQuestion, texts: PageTexts): string {
  return texts.errors[problem].replace('{}', String(Object.keys(option_titles_by_id ?? {}).length));
}

interface ProblemListProps {
  readonly form: SurveyForm;
  readonly problems: AnswerProblems;
  readonly texts: PageTexts;
}

function ProblemList({ form: { questions, typed }, problems, texts }: ProblemListProps): VNode {
  const removed = [...problems].filter(([, problem]) => problem === 'unknown_question').slice(0, MAX_REMOVED);
  return (
    <ul>
      {questions.map((question, index) => {
        const problem = problems.get(String(question.id));
        return (
          problem && (
            <li key={question.id}>
              <a href={`#${firstControlId(question)}`}>
                {texts.question(index + 1, questions.length)}: {errorOf(problem, question, texts)}
              </a>
            </li>
          )
        );
      })}
      {removed.length > 0 && (
        <li>
          {texts.errors.unknown_question}
          {removed.map(([questionId]) => {
            const { own, parts } = typed.get(questionId)!;
            return (
              <Unshown key={questionId} values={[...own, ...[...parts.values()].flat()]} texts={texts} />
            );
          })}
        </li>
      )}
    </ul>
  );
}

/** More are not from a page of ours. */
const MAX_REMOVED = 20;

/** What was typed and no control shows, since the campaign has changed meanwhile. */
function Unshown({ values, texts }: { values: readonly string[]; texts: PageTexts }): VNode | null {
  if (values.length === 0) return null;
  return (
    <span class="quote" lang={texts.language}>
      {texts.removedAnswer} <q dir="auto">{values.join('\n').replaceAll('\0', '')}</q>
    </span>
  );
}
