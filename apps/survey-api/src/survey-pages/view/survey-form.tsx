import type { VNode } from 'preact';
import type { SurveyQuestion } from '../../campaigns/survey-question';
import { IDENTIFIER_FIELD, type FormFields } from '../form-fields';
import type { Language } from '../page-language';
import { PAGE_TEXTS, type PageTexts } from '../page-texts';
import type { AnswerProblem } from '../submitted-answers';
import { renderDocument } from './document';
import { firstControlId, isScale, QUESTION_COMPONENTS } from './questions';

/** The survey of a link, as it is shown to one respondent. */
export interface SurveyForm {
  readonly language: Language;
  readonly campaignName: string;
  readonly questions: readonly SurveyQuestion[];
  /** Sealed for the link. */
  readonly identifier: string;
  /** Where the form is posted to. */
  readonly action: string;
  readonly scriptUrl: string;
  /** This page in the other language; absent where a change of page would lose what was typed. */
  readonly otherLanguageUrl?: string;
  readonly typed: FormFields;
  /** Why the answers were not stored. */
  readonly refusal?: Refusal;
}

export type Refusal =
  | { readonly reason: 'invalid'; readonly problems: readonly AnswerProblem[] }
  | { readonly reason: 'nothing_answered' }
  | { readonly reason: 'foreign_identifier' };

export const NOTHING_TYPED: FormFields = new Map();

export function renderSurvey(form: SurveyForm): string {
  const { language, campaignName, questions, refusal, scriptUrl } = form;
  const texts = PAGE_TEXTS[language];
  const name = campaignName.trim() || texts.survey;
  const title = refusal ? texts.errorPrefix + name : name;
  return renderDocument(
    { language, title, scriptUrl },
    <>
      <header class="band">
        <div class="inner">
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
          <h1 dir="auto">{name}</h1>
          <p class="intro">{texts.intro(questions.length)}</p>
        </div>
      </header>
      <main>
        {refusal && <RefusalSummary form={form} refusal={refusal} texts={texts} />}
        <form method="post" action={form.action}>
          <input type="hidden" name={IDENTIFIER_FIELD} value={form.identifier} />
          {questions.map((question, index) => (
            <Question key={question.id} form={form} question={question} index={index} texts={texts} />
          ))}
          <div class="send">
            <progress max={questions.length} value={0} aria-label={texts.progress} data-script hidden />
            <p class="done">
              <span class="count" />/{questions.length} {texts.answered}
            </p>
            <button class="submit">{texts.submit}</button>
            <p id="status" role="status" data-sending={texts.sending} data-not-sent={texts.notSent} />
          </div>
          <div class="notes">
            <p>{texts.privacy}</p>
          </div>
        </form>
      </main>
    </>,
  );
}

interface PartProps {
  readonly form: SurveyForm;
  readonly texts: PageTexts;
}

function Question({
  form,
  question,
  index,
  texts,
}: PartProps & { question: SurveyQuestion; index: number }): VNode {
  const { type, id } = question;
  const Body = QUESTION_COMPONENTS[type];
  const errors = errorsOf(form.refusal, question, texts);
  const hintId = `q${id}-hint`;
  const errorId = `q${id}-error`;
  const describedBy = errors.length > 0 ? `${errorId} ${hintId}` : hintId;
  const className = errors.length > 0 ? 'card question faulty' : 'card question';
  const heading = (
    <>
      <span class="number">{texts.question(index + 1, form.questions.length)}</span>
      <span dir="auto">{question.title}</span>
    </>
  );
  const content = (
    <>
      <p class="hint" id={hintId}>
        {hintOf(question, texts)}
      </p>
      {errors.length > 0 && (
        <p class="error" id={errorId}>
          {errors.join(' ')}
        </p>
      )}
      <div class="body">
        <Body
          question={question}
          texts={texts}
          typed={form.typed}
          describedBy={describedBy}
          isFaulty={errors.length > 0}
        />
        {(type === 'multiple_choice' || type === 'matrix') && (
          <button type="button" class="clear" hidden>
            {texts.clear}
          </button>
        )}
      </div>
    </>
  );
  const data = { 'data-question': id };
  if (type === 'text') {
    return (
      <div class={className} {...data}>
        <h2>
          <label for={firstControlId(question)}>{heading}</label>
        </h2>
        {content}
      </div>
    );
  }
  return (
    <fieldset class={className} aria-describedby={describedBy} {...data}>
      <legend>
        <h2>{heading}</h2>
      </legend>
      {content}
    </fieldset>
  );
}

function hintOf(question: SurveyQuestion, texts: PageTexts): string {
  switch (question.type) {
    case 'text':
      return texts.writeFreely;
    case 'multiple_choice':
      return isScale(question) ? texts.choosePoint : texts.chooseOne;
    case 'checkbox':
      return texts.chooseSeveral;
    case 'matrix':
      return texts.chooseInEachRow;
    case 'ranking':
      return texts.rank(Object.keys(question.option_titles_by_id ?? {}).length);
  }
}

function RefusalSummary({ form, refusal, texts }: PartProps & { refusal: Refusal }): VNode {
  return (
    <div class="card alert" role="alert" tabindex={-1} autofocus>
      <h2>{texts.errorTitle}</h2>
      <RefusalText form={form} refusal={refusal} texts={texts} />
    </div>
  );
}

function RefusalText({ form, refusal, texts }: PartProps & { refusal: Refusal }): VNode {
  switch (refusal.reason) {
    case 'nothing_answered':
      return <p>{texts.nothingAnswered}</p>;
    case 'foreign_identifier':
      return <p>{texts.foreignIdentifier}</p>;
    case 'invalid':
      return (
        <ul>
          {form.questions.map((question, index) =>
            errorsOf(refusal, question, texts).map((error) => (
              <li key={error}>
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
}: PartProps & { problems: readonly AnswerProblem[] }): VNode | null {
  const removed = problems.filter(({ type }) => type === 'unknown_question').slice(0, MAX_REMOVED);
  if (removed.length === 0) return null;
  return (
    <li>
      {texts.errors.unknown_question}
      {removed.map(({ questionId }) => {
        const text = form.typed.get(`q${questionId}`)?.join('\n');
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

/** Each kind of error once. */
function errorsOf(refusal: Refusal | undefined, { id }: SurveyQuestion, texts: PageTexts): string[] {
  if (refusal?.reason !== 'invalid') return [];
  const own = refusal.problems.filter(({ questionId }) => questionId === String(id));
  return [...new Set(own.map(({ type }) => texts.errors[type]))];
}
