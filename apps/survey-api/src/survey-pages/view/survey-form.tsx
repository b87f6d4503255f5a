import type { VNode } from 'preact';
import type { SurveyQuestion } from '../../campaigns/survey-question';
import { type AnswerProblem, QUESTION_KINDS } from '../../questions';
import {
  firstControlId,
  type FormFields,
  questionField,
  type QuestionKind,
} from '../../questions/question-kind';
import { IDENTIFIER_FIELD, type TypedAnswer, typedAnswers } from '../form-fields';
import type { PageBrand } from '../page-brand';
import { type Language, PAGE_TEXTS, type PageTexts } from '../page-texts';
import { BrandMark, renderDocument } from './document';

export interface SurveyForm {
  readonly language: Language;
  readonly campaignName: string;
  readonly questions: readonly SurveyQuestion[];
  readonly identifier: string;
  readonly action: string;
  readonly scriptUrl: string;
  /** This page in the other language: with what is typed if the form is posted to it. */
  readonly otherLanguageUrl: string;
  readonly brand?: PageBrand;
  readonly typed: FormFields;
  readonly refusal?: Refusal;
}

export type Refusal =
  | { readonly reason: 'invalid'; readonly problems: readonly AnswerProblem[] }
  | { readonly reason: 'nothing_answered' };

export const NOTHING_TYPED: FormFields = new Map();

export function surveyName({
  campaignName,
  language,
}: Pick<SurveyForm, 'campaignName' | 'language'>): string {
  return campaignName.trim() || PAGE_TEXTS[language].survey;
}

export function renderSurvey(form: SurveyForm): string {
  const { language, questions, refusal, scriptUrl, brand } = form;
  const texts = PAGE_TEXTS[language];
  const errors = refusal?.reason === 'invalid' ? errorsByQuestion(refusal.problems, texts) : NO_ERRORS;
  const typed = typedAnswers(form.typed);
  const name = surveyName(form);
  const title = refusal ? texts.errorPrefix + name : name;
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
          <h1 dir="auto">{name}</h1>
          <p class="intro">{texts.intro(questions.length)}</p>
        </div>
      </header>
      <main>
        {refusal && (
          <div class="card alert" role="alert" tabindex={-1} autofocus>
            <h2>{texts.errorTitle}</h2>
            <RefusalText form={form} refusal={refusal} errors={errors} typed={typed} texts={texts} />
          </div>
        )}
        <form id={FORM_ID} method="post" action={form.action}>
          <input type="hidden" name={IDENTIFIER_FIELD} value={form.identifier} />
          {questions.map((question, index) => (
            <Question
              key={question.id}
              form={form}
              texts={texts}
              question={question}
              index={index}
              errors={errors.get(String(question.id)) ?? []}
              typed={typed.get(String(question.id))}
            />
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
              {!refusal && typed.size > 0 && texts.chosen}
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
  readonly errors: readonly string[];
  readonly typed: TypedAnswer | undefined;
}

function hintId({ id }: SurveyQuestion): string {
  return `q${id}-hint`;
}

function errorId({ id }: SurveyQuestion): string {
  return `q${id}-error`;
}

function Question({ form, question, index, texts, errors, typed }: QuestionProps): VNode {
  const { hint, hasOneControl, canBeCleared, controls, shows } = QUESTION_KINDS[question.type];
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
      {typed && <Unshown typed={typed} shows={shows(question)} texts={texts} />}
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
  readonly typed: ReadonlyMap<string, TypedAnswer>;
  readonly texts: PageTexts;
}

function RefusalText({ form, refusal, errors, typed, texts }: RefusalProps): VNode {
  switch (refusal.reason) {
    case 'nothing_answered':
      return <p>{texts.nothingAnswered}</p>;
    case 'invalid':
      return (
        <ul>
          {form.questions.map((question, index) =>
            errors.get(String(question.id))?.map((error) => (
              <li key={error}>
                <a href={`#${firstControlId(question)}`}>
                  {texts.question(index + 1, form.questions.length)}: {error}
                </a>
              </li>
            )),
          )}
          <RemovedQuestions problems={refusal.problems} typed={typed} texts={texts} />
        </ul>
      );
  }
}

/** What was typed for questions that have been removed meanwhile: there is no field to show it in. */
function RemovedQuestions({
  problems,
  typed,
  texts,
}: Pick<RefusalProps, 'typed' | 'texts'> & { problems: readonly AnswerProblem[] }): VNode | null {
  const removed = problems.filter(({ type }) => type === 'unknown_question').slice(0, MAX_REMOVED);
  if (removed.length === 0) return null;
  return (
    <li>
      {texts.errors.unknown_question}
      {removed.map(({ questionId }) => (
        <Unshown key={questionId} typed={typed.get(questionId)!} shows={() => false} texts={texts} />
      ))}
    </li>
  );
}

interface UnshownProps {
  readonly typed: TypedAnswer;
  readonly shows: ReturnType<QuestionKind['shows']>;
  readonly texts: PageTexts;
}

/** What was typed and no control shows, since the question has changed meanwhile. */
function Unshown({ typed: { own, parts }, shows, texts }: UnshownProps): VNode | null {
  const values = [
    ...own.filter((value) => !shows(value, undefined)),
    ...parts.flatMap(([part, values]) => values.filter((value) => !shows(value, part))),
  ];
  if (values.length === 0) return null;
  return (
    <span class="quote">
      {texts.removedAnswer} <q dir="auto">{values.join('\n').replaceAll('\0', '')}</q>
    </span>
  );
}

/** More are not from a page of ours. */
const MAX_REMOVED = 20;

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
