import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type QrCodeGenerateSvgOptions, renderSVG } from 'uqr';
import { Counter, Registry } from 'prom-client';
import { ProblemError } from '@cxp/error-envelopes';
import { yieldToEventLoop } from '@cxp/storage';
import { SurveySettings } from '../settings';
import type { Answers } from '../campaigns/survey-question';
import { completeResponse } from '../responses/response-fields';
import { contentPolicy } from './error-pages';
import {
  type FormFields,
  IDENTIFIER_FIELD,
  preselectedAnswers,
  type ReceivedForm,
  typedAnswers,
} from './form-fields';
import { type LinkedSurvey, LinkedSurveyReadModel } from './linked-survey.read-model';
import type { Logo } from '../organization-settings/organization-settings.repository';
import { pageBrand, type PageBrand } from './brand';
import { DEFAULT_LANGUAGE, type Language, PAGE_TEXTS } from './page-texts';
import { newResponseId, openedAt, responseIdOf, SubmissionService } from './submission.service';
import { checkTypedAnswers } from '../questions';
import { PAGE_SCRIPT, renderNotice } from './view/document';
import { renderSurvey, type SurveyForm, surveyName } from './view/survey-form';

export interface PageAnswer {
  readonly status: number;
  readonly html: string | Buffer;
  /** The Content-Security-Policy of a page with its own style; default: that of every answer. */
  readonly policy?: string;
}

/** For print: readable with 15 % damage, with the border that ISO/IEC 18004 requires. */
const QR_CODE: QrCodeGenerateSvgOptions = { ecc: 'M', border: 4 };

const MIB = 1_024 * 1_024;

/** Holds the place of a response's id in a page that is kept. */
const NO_ID = newResponseId();

@Injectable()
export class SurveyPageService {
  /** Pages in which nothing is typed, by all that they show but the response's id. */
  private readonly untouched = new LRUCache<string, Buffer>({
    maxSize: 16 * MIB,
    sizeCalculation: (page, shown) => page.length + shown.length,
  });
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
   * @param stop nobody reads the page any more
   * @throws ProblemError when the link is unknown
   */
  page(
    publicId: string,
    chosen: Language | undefined,
    query: Readonly<Record<string, unknown>>,
    stop: AbortSignal,
  ): Promise<PageAnswer> {
    return this.ofOpen(publicId, chosen, async (survey, language) => {
      const typed = preselectedAnswers(query, survey.questions);
      const identifier = newResponseId();
      await turnOf(stop);
      if (typed.size > 0) return this.render(200, survey, { language, identifier, typed });
      const shown = JSON.stringify([language, survey]);
      let page = this.untouched.get(shown);
      if (!page) {
        page = this.render(200, survey, { language, identifier: NO_ID, typed }).html;
        this.untouched.set(shown, page);
      }
      const html = Buffer.from(page);
      html.write(identifier, html.indexOf(NO_ID));
      return this.answer(200, html, this.brandOf(survey));
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
  qrCode(publicId: string, chosen: Language | undefined): Promise<string | PageAnswer> {
    return this.ofOpen<string | PageAnswer>(publicId, chosen, () =>
      renderSVG(`${this.publicUrl}/${publicId}`, QR_CODE),
    );
  }

  /**
   * Shows the typed answers in another language and stores nothing.
   * @throws ProblemError when the link is unknown
   */
  translate(
    publicId: string,
    form: ReceivedForm,
    chosen: Language | undefined,
    stop: AbortSignal,
  ): Promise<PageAnswer> {
    return this.ofOpen(publicId, chosen, async (survey, language) => {
      await turnOf(stop);
      const { typed, identifier, ...checked } = answersOf(form(), survey);
      const removed = new Map([...checked.problems].filter(([, problem]) => problem === 'unknown_question'));
      const problems = removed.size > 0 ? removed : undefined;
      return this.render(200, survey, { language, identifier, typed, problems });
    });
  }

  /** @throws ProblemError when the link is unknown, or the response would be too large */
  submit(
    publicId: string,
    form: ReceivedForm,
    chosen: Language | undefined,
    stop: AbortSignal,
  ): Promise<PageAnswer> {
    return this.ofOpen(publicId, chosen, async (survey, language) => {
      stop.throwIfAborted();
      // The other fields are read again if the page shows them.
      const { identifier, answers, isSound } = answersOf(form(), survey);
      if (isSound && (await this.store(survey, identifier, answers))) {
        this.submitted.inc({ outcome: 'stored' });
        return this.thanks(survey, language);
      }
      // The campaign may have changed since the response was stored, and the first answer may have been lost.
      if (await this.submissions.isStored(survey.organizationId, identifier)) {
        return this.thanks(survey, language);
      }
      this.submitted.inc({ outcome: 'invalid' });
      if (isSound) throw new ProblemError({ code: 'body_too_large' });
      await turnOf(stop);
      const { typed, problems } = answersOf(form(), survey);
      return this.render(422, survey, { language, identifier, typed, problems });
    });
  }

  private store(
    { publicId, organizationId, campaignId }: LinkedSurvey,
    identifier: string,
    answers: Answers,
  ): Promise<boolean> {
    const answeredAt = new Date();
    const response = completeResponse({
      identifier,
      survey_campaign_id: campaignId,
      opened_timestamp: openedAt(identifier, answeredAt).toISOString(),
      answered_timestamp: answeredAt.toISOString(),
      source: 'Anonymous Link',
      answers,
    });
    return this.submissions.store({ organizationId, publicId, response });
  }

  /** Answers a closed survey itself. */
  private async ofOpen<Answer>(
    publicId: string,
    chosen: Language | undefined,
    answerOf: (survey: LinkedSurvey, language: Language) => Answer | Promise<Answer>,
  ): Promise<Answer | PageAnswer> {
    const survey = await this.surveys.find(publicId);
    if (!survey) throw unknownLink(publicId);
    const language = chosen ?? survey.language ?? DEFAULT_LANGUAGE;
    // A survey without questions can't be answered.
    if (survey.status === 'active' && survey.questions.length > 0) return answerOf(survey, language);
    const brand = this.brandOf(survey);
    const kind = survey.status === 'draft' ? 'not_open' : 'closed';
    return this.answer(410, renderNotice(kind, language, { brand }), brand);
  }

  private thanks(survey: LinkedSurvey, language: Language): PageAnswer {
    const brand = this.brandOf(survey);
    const name = surveyName({ campaignName: survey.name, language });
    return this.answer(
      200,
      renderNotice('thanks', language, { name, brand, language: survey.language }),
      brand,
    );
  }

  private render(
    status: number,
    survey: LinkedSurvey,
    shown: Pick<SurveyForm, 'language' | 'identifier' | 'typed' | 'problems'>,
  ): PageAnswer & { readonly html: Buffer } {
    const { language } = shown;
    const url = `${this.base}/${survey.publicId}`;
    const brand = this.brandOf(survey);
    const html = renderSurvey({
      ...shown,
      campaignName: survey.name,
      campaignLanguage: survey.language,
      questions: survey.questions,
      brand,
      action: `${url}/responses?lang=${language}`,
      scriptUrl: `${this.base}/assets/${PAGE_SCRIPT.name}`,
      otherLanguageUrl: `${url}?lang=${PAGE_TEXTS[language].otherLanguage.language}`,
    });
    return this.answer(status, Buffer.from(html), brand);
  }

  private brandOf(survey: LinkedSurvey): PageBrand | undefined {
    return pageBrand(survey, `${this.base}/${survey.publicId}`);
  }

  private answer<Html extends string | Buffer>(status: number, html: Html, brand: PageBrand | undefined) {
    return { status, html, policy: brand && contentPolicy(this.frameAncestors, brand.style) };
  }
}

function answersOf(fields: FormFields, { questions }: LinkedSurvey) {
  const typed = typedAnswers(fields);
  const { answers, problems } = checkTypedAnswers(typed, questions);
  const isSound = problems.size === 0 && Object.keys(answers).length > 0;
  return {
    typed,
    answers,
    problems,
    isSound,
    identifier: responseIdOf(fields.get(IDENTIFIER_FIELD)?.join()),
  };
}

/** Pages are rendered between other requests, one at a time, since the largest takes 30 ms; and only if somebody reads them. */
async function turnOf(stop: AbortSignal): Promise<void> {
  await yieldToEventLoop();
  stop.throwIfAborted();
}

function unknownLink(publicId: string): ProblemError {
  return new ProblemError({ code: 'resource_not_found', model: 'survey_link', id: publicId });
}
