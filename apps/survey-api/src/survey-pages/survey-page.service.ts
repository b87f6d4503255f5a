import { Injectable } from '@nestjs/common';
import { type QrCodeGenerateSvgOptions, renderSVG } from 'uqr';
import { Counter, Registry } from 'prom-client';
import { ProblemError } from '@cxp/error-envelopes';
import { SurveySettings } from '../settings';
import type { Logo } from './organization-settings';
import type { Answers } from '../campaigns/survey-question';
import { completeResponse } from '../responses/response-fields';
import type { FormFields } from '../questions/question-kind';
import { contentPolicy } from './error-pages';
import { answersOfForm, chosenFields, IDENTIFIER_FIELD } from './form-fields';
import { type LinkedSurvey, LinkedSurveyReadModel } from './linked-survey.read-model';
import { pageBrand, type PageBrand } from './page-brand';
import { type Language, PAGE_TEXTS } from './page-texts';
import { newResponseId, openedAt, responseIdOf, SubmissionService } from './submission.service';
import { type AnswerProblem, checkSubmittedAnswers } from '../questions';
import { PAGE_SCRIPT, renderNotice } from './view/document';
import { type Refusal, renderSurvey, type SurveyForm, surveyName } from './view/survey-form';

export interface PageAnswer {
  readonly status: number;
  readonly html: string;
  /** The Content-Security-Policy of a page with its own style; default: that of every answer. */
  readonly policy?: string;
}

/** For print: readable with 15 % damage, with the border that ISO/IEC 18004 requires. */
const QR_CODE: QrCodeGenerateSvgOptions = { ecc: 'M', border: 4 };

@Injectable()
export class SurveyPageService {
  private readonly base: string;
  private readonly publicUrl: string;
  private readonly frameAncestors: readonly string[];
  private readonly submitted: Counter<'outcome'>;

  constructor(
    private readonly surveys: LinkedSurveyReadModel,
    private readonly submissions: SubmissionService,
    { SURVEY_PUBLIC_URL = '', SURVEY_FRAME_ANCESTORS }: SurveySettings,
    registry: Registry,
  ) {
    this.publicUrl = `${SURVEY_PUBLIC_URL}/s`;
    this.frameAncestors = SURVEY_FRAME_ANCESTORS;
    this.base = `${new URL(SURVEY_PUBLIC_URL).pathname.replace(/\/$/, '')}/s`;
    this.submitted = new Counter({
      name: 'survey_page_submissions_total',
      help: 'What browsers sent to the survey pages',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /**
   * @param query may preselect answers
   * @throws ProblemError when the link is unknown
   */
  async page(
    publicId: string,
    language: Language,
    query: Readonly<Record<string, unknown>>,
  ): Promise<PageAnswer> {
    const survey = await this.find(publicId);
    if (!isOpen(survey)) return this.closed(publicId, survey, language);
    const chosen = chosenFields(query, survey.questions);
    return this.render(200, publicId, survey, {
      language,
      identifier: newResponseId(),
      typed: chosen,
    });
  }

  /** @throws ProblemError when the link is unknown, or its organization has no logo */
  async logo(publicId: string): Promise<Logo> {
    const logo = await this.surveys.findLogo(publicId);
    if (!logo) throw unknownLink(publicId);
    return logo;
  }

  /**
   * An SVG of the page's address; for a closed survey the page itself.
   * @throws ProblemError when the link is unknown
   */
  async qrCode(publicId: string, language: Language): Promise<string | PageAnswer> {
    const survey = await this.find(publicId);
    if (!isOpen(survey)) return this.closed(publicId, survey, language);
    return renderSVG(`${this.publicUrl}/${publicId}`, QR_CODE);
  }

  /**
   * Shows the typed answers in another language and stores nothing.
   * @throws ProblemError when the link is unknown
   */
  async translate(publicId: string, fields: FormFields, language: Language): Promise<PageAnswer> {
    const survey = await this.find(publicId);
    if (!isOpen(survey)) return this.closed(publicId, survey, language);
    const { problems } = checkSubmittedAnswers(answersOfForm(fields, survey.questions), survey.questions);
    const removed = problems.filter(({ type }) => type === 'unknown_question');
    return this.render(200, publicId, survey, {
      language,
      identifier: responseIdOf(fields.get(IDENTIFIER_FIELD)?.join()),
      typed: fields,
      refusal: removed.length > 0 ? { reason: 'invalid', problems: removed } : undefined,
    });
  }

  /** @throws ProblemError when the link is unknown */
  async submit(publicId: string, fields: FormFields, language: Language): Promise<PageAnswer> {
    const survey = await this.find(publicId);
    if (!isOpen(survey)) return this.closed(publicId, survey, language);
    const identifier = responseIdOf(fields.get(IDENTIFIER_FIELD)?.join());
    const { answers, problems } = checkSubmittedAnswers(
      answersOfForm(fields, survey.questions),
      survey.questions,
    );
    const refusal = refusalOf(problems, answers);
    if (refusal) {
      // The campaign may have changed since the response was stored, and the first answer may have been lost.
      if (await this.submissions.isStored(survey.organizationId, identifier))
        return this.thanks(publicId, survey, language);
      this.submitted.inc({ outcome: 'invalid' });
      return this.render(422, publicId, survey, { language, identifier, typed: fields, refusal });
    }
    await this.store(publicId, survey, identifier, answers);
    return this.thanks(publicId, survey, language);
  }

  private async store(
    publicId: string,
    survey: LinkedSurvey,
    identifier: string,
    answers: Answers,
  ): Promise<void> {
    const answeredAt = new Date();
    const response = completeResponse({
      identifier,
      survey_campaign_id: survey.campaignId,
      opened_timestamp: openedAt(identifier, answeredAt).toISOString(),
      answered_timestamp: answeredAt.toISOString(),
      source: 'Anonymous Link',
      answers,
    });
    await this.submissions.store({ organizationId: survey.organizationId, publicId, response });
    this.submitted.inc({ outcome: 'stored' });
  }

  private async find(publicId: string): Promise<LinkedSurvey> {
    const survey = await this.surveys.find(publicId);
    if (!survey) throw unknownLink(publicId);
    return survey;
  }

  private closed(publicId: string, survey: LinkedSurvey, language: Language): PageAnswer {
    const brand = pageBrand(survey, `${this.base}/${publicId}`);
    return this.answer(410, renderNotice('closed', language, { brand }), brand);
  }

  private thanks(publicId: string, survey: LinkedSurvey, language: Language): PageAnswer {
    const brand = pageBrand(survey, `${this.base}/${publicId}`);
    const name = surveyName({ campaignName: survey.name, language });
    return this.answer(200, renderNotice('thanks', language, { name, brand }), brand);
  }

  private render(
    status: number,
    publicId: string,
    survey: LinkedSurvey,
    shown: Pick<SurveyForm, 'language' | 'identifier' | 'typed' | 'refusal'>,
  ): PageAnswer {
    const { language } = shown;
    const url = `${this.base}/${publicId}`;
    const brand = pageBrand(survey, url);
    const html = renderSurvey({
      ...shown,
      campaignName: survey.name,
      questions: survey.questions,
      brand,
      action: `${url}/responses?lang=${language}`,
      scriptUrl: `${this.base}/assets/${PAGE_SCRIPT.name}`,
      otherLanguageUrl: `${url}?lang=${PAGE_TEXTS[language].otherLanguage.language}`,
    });
    return this.answer(status, html, brand);
  }

  private answer(status: number, html: string, brand: PageBrand | undefined): PageAnswer {
    return { status, html, policy: brand && contentPolicy(this.frameAncestors, brand.style) };
  }
}

/** A survey without questions can't be answered. */
function isOpen({ status, questions }: LinkedSurvey): boolean {
  return status === 'active' && questions.length > 0;
}

function unknownLink(publicId: string): ProblemError {
  return new ProblemError({ code: 'resource_not_found', model: 'survey_link', id: publicId });
}

function refusalOf(problems: readonly AnswerProblem[], answers: object): Refusal | undefined {
  if (problems.length > 0) return { reason: 'invalid', problems };
  return isEmpty(answers) ? { reason: 'nothing_answered' } : undefined;
}

function isEmpty(answers: object): boolean {
  return Object.keys(answers).length === 0;
}
