import type { VNode } from 'preact';
import type { SurveyQuestion } from '../../campaigns/survey-question';
import { type AnswerProblem, QUESTION_KINDS } from '../../questions';
import { firstControlId, type FormFields, questionField } from '../../questions/question-kind';
import { IDENTIFIER_FIELD } from '../form-fields';
import type { PageBrand } from '../../brand/page-brand';
import { type Language, PAGE_TEXTS, type PageTexts } from '../page-texts';
import { BrandMark, renderDocument } from './document';

/** The survey of a link, as it is shown to one respondent. */
export interface SurveyForm {
  readonly language: Language;
  readonly campaignName: string;
  readonly questions: readonly SurveyQuestion[];
  /** Of the response. */
  readonly identifier: string;
  /** Where the form is posted to. */
  readonly action: string;
  readonly scriptUrl: string;
  /** This page in the other language; absent where a change of page would lose what was typed. */
  readonly otherLanguageUrl?: string;
  readonly brand?: PageBrand;
  readonly typed: FormFields;
  /** Why the answers were not stored. */
  readonly refusal?: Refusal;
}

export type Refusal =
  | { readonly reason: 'invalid'; readonly problems: readonly AnswerProblem[] }
  | { readonly reason: 'nothing_answered' };

export const NOTHING_TYPED: FormFields = new Map();

/** The name of a survey in its pages. */
export function surveyName({
  campaignName,
  language,
}: Pick<SurveyForm, 'campaignName' | 'language'>): string {
  return campaignName.trim() || PAGE_TEXTS[language].survey;
}

/** The page of a survey. */
export function renderSurvey(form: SurveyForm): string {
  const { language, questions, refusal, scriptUrl, brand } = form;
  const texts = PAGE_TEXTS[language];
  const errors = refusal?.reason === 'invalid' ? errorsByQuestion(refusal.problems, texts) : NO_ERRORS;
  const name = surveyName(form);
  const title = refusal ? texts.errorPrefix + name : name;
  return renderDocument(
    { language, title: brand ? `${title} – ${brand.name}` : title, scriptUrl, brand },
    <>
      <header class="band">
        <div class="inner">
          <div class="top">
            {brand && <BrandMark brand={brand} />}
            {form.otherLanguageUrl && (
              <p class="language">
                <a
                  href={form.otherLanguageUrl}
                  lang={texts.otherLanguage.language}
                  hreflang={texts.otherLanguage.language}
                >
                  {texts.otherLanguage.name}
                </a>
              </p>
            )}
          </div>
          <h1 dir="auto">{name}</h1>
          <p class="intro">{texts.intro(questions.length)}</p>
        </div>
      </header>
      <main>
        {refusal && (
          <div
            class="card alert"
            role="alert"
            tabindex={-1}
            autofocus
            data-reason={refusal.reason}
            data-title={name}
          >
            <h2>{texts.errorTitle}</h2>
            <RefusalText form={form} refusal={refusal} errors={errors} texts={texts} />
          </div>
        )}
        <form method="post" action={form.action}>
          <input type="hidden" name={IDENTIFIER_FIELD} value={form.identifier} />
          {questions.map((question, index) => (
            <Question
              key={question.id}
              form={form}
              texts={texts}
              question={question}
              index={index}
              errors={errors.get(String(question.id)) ?? []}
            />
          ))}
          <div class="send">
            <progress max={questions.length} value={0} aria-label={texts.progress} data-script hidden />
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
              {!refusal && form.typed.size > 0 && texts.chosen}
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

interface QuestionProps {
  readonly form: SurveyForm;
  readonly texts: PageTexts;
  readonly question: SurveyQuestion;
  readonly index: number;
  readonly errors: readonly string[];
}

function hintId({ id }: SurveyQuestion): string {
  return `q${id}-hint`;
}

function errorId({ id }: SurveyQuestion): string {
  return `q${id}-error`;
}

function Question({ form, question, index, texts, errors }: QuestionProps): VNode {
  const { hint, hasOneControl, canBeCleared, controls } = QUESTION_KINDS[question.type];
  const isFaulty = errors.length > 0;
  const className = isFaulty ? 'card question faulty' : 'card question';
  const describedBy = isFaulty ? `${errorId(question)} ${hintId(question)}` : hintId(question);
  const heading = (
    <>
      <span class="number">{texts.question(index + 1, form.questions.length)}</span>
      <span dir="auto">{question.title}</span>
    </>
  );
  const content = (
    <>
      <p class="hint" id={hintId(question)}>
        {hint(question, texts)}
      </p>
      {isFaulty && (
        <p class="error" id={errorId(question)}>
          {errors.join(' ')}
        </p>
      )}
      <div class="body">
        {[...controls({ question, texts, typed: form.typed, describedBy, isFaulty })]}
        {canBeCleared && (
          <button type="button" class="clear" hidden>
            {texts.clear}
          </button>
        )}
      </div>
    </>
  );
  if (hasOneControl) {
    return (
      <div class={className} id={questionField(question)} data-question={question.id}>
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

interface RefusalProps {
  readonly form: SurveyForm;
  readonly refusal: Refusal;
  readonly errors: ErrorsByQuestion;
  readonly texts: PageTexts;
}

function RefusalText({ form, refusal, errors, texts }: RefusalProps): VNode {
  switch (refusal.reason) {
    case 'nothing_answered':
      return <p>{texts.nothingAnswered}</p>;
    case 'invalid':
      return (
        <ul>
          {form.questions.map((question, index) =>
            errors.get(String(question.id))?.map((error) => (
              <li key={error} data-for={question.id}>
                <a href={`#${firstControlId(question)}`}>
                  {texts.question(index + 1, form.questions.length)}: {error}
                </a>
              </li>
            )),
          )}
          <RemovedQuestions form={form} problems={refusal.problems} texts={texts} />
        </ul>
      );
  }
}

/** What was typed for questions that have been removed meanwhile: there is no field to show it in. */
function RemovedQuestions({
  form,
  problems,
  texts,
}: Pick<RefusalProps, 'form' | 'texts'> & { problems: readonly AnswerProblem[] }): VNode | null {
  const removed = problems.filter(({ type }) => type === 'unknown_question').slice(0, MAX_REMOVED);
  if (removed.length === 0) return null;
  return (
    <li>
      {texts.errors.unknown_question}
      {removed.map(({ questionId }) => {
        const text = form.typed.get(`q${questionId}`)?.join('\n').replaceAll('\0', '');
        return text ? (
          <span class="quote" key={questionId}>
            {texts.removedAnswer} <q dir="auto">{text}</q>
          </span>
        ) : null;
      })}
    </li>
  );
}

/** More are not from a page of ours. */
const MAX_REMOVED = 20;

/** The messages of refused answers, by question id. */
type ErrorsByQuestion = ReadonlyMap<string, readonly string[]>;

const NO_ERRORS: ErrorsByQuestion = new Map();

/** Each kind of error once. */
function errorsByQuestion(problems: readonly AnswerProblem[], texts: PageTexts): ErrorsByQuestion {
  const errors = new Map<string, Set<string>>();
  for (const { questionId, type } of problems) {
    const known = errors.get(questionId);
    if (known) known.add(texts.errors[type]);
    else errors.set(questionId, new Set([texts.errors[type]]));
  }
  return new Map([...errors].map(([questionId, own]) => [questionId, [...own]]));
}
