import { Injectable } from '@nestjs/common';
import { type QrCodeGenerateSvgOptions, renderSVG } from 'uqr';
import { Counter, Registry } from 'prom-client';
import { ProblemError } from '@cxp/error-envelopes';
import { SurveySettings } from '../settings';
import type { Answers } from '../campaigns/survey-question';
import { completeResponse } from '../responses/response-fields';
import { contentPolicy } from './error-pages';
import { type FormFields, IDENTIFIER_FIELD, preselectedAnswers, typedAnswers } from './form-fields';
import { type LinkedSurvey, LinkedSurveyReadModel } from './linked-survey.read-model';
import { type Logo, pageBrand, type PageBrand } from './organization-settings';
import { type Language, PAGE_TEXTS } from './page-texts';
import { newResponseId, openedAt, responseIdOf, SubmissionService } from './submission.service';
import { checkTypedAnswers } from '../questions';
import { PAGE_SCRIPT, renderNotice } from './view/document';
import { renderSurvey, type SurveyForm, surveyName } from './view/survey-form';

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
  page(publicId: string, language: Language, query: Readonly<Record<string, unknown>>): Promise<PageAnswer> {
    return this.ofOpen(publicId, language, (survey) =>
      this.render(200, survey, {
        language,
        identifier: newResponseId(),
        typed: preselectedAnswers(query, survey.questions),
      }),
    );
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
  qrCode(publicId: string, language: Language): Promise<string | PageAnswer> {
    return this.ofOpen<string | PageAnswer>(publicId, language, () =>
      renderSVG(`${this.publicUrl}/${publicId}`, QR_CODE),
    );
  }

  /**
   * Shows the typed answers in another language and stores nothing.
   * @throws ProblemError when the link is unknown
   */
  translate(publicId: string, fields: FormFields, language: Language): Promise<PageAnswer> {
    return this.ofOpen(publicId, language, (survey) => {
      const typed = typedAnswers(fields);
      const { problems } = checkTypedAnswers(typed, survey.questions);
      const removed = new Map([...problems].filter(([, problem]) => problem === 'unknown_question'));
      return this.render(200, survey, {
        language,
        identifier: responseIdOf(fields.get(IDENTIFIER_FIELD)?.join()),
        typed,
        problems: removed.size > 0 ? removed : undefined,
      });
    });
  }

  /** @throws ProblemError when the link is unknown, or the response would be too large */
  submit(publicId: string, fields: FormFields, language: Language): Promise<PageAnswer> {
    return this.ofOpen(publicId, language, async (survey) => {
      const identifier = responseIdOf(fields.get(IDENTIFIER_FIELD)?.join());
      const typed = typedAnswers(fields);
      const { answers, problems } = checkTypedAnswers(typed, survey.questions);
      const isSound = problems.size === 0 && Object.keys(answers).length > 0;
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
    language: Language,
    answerOf: (survey: LinkedSurvey) => Answer | Promise<Answer>,
  ): Promise<Answer | PageAnswer> {
    const survey = await this.surveys.find(publicId);
    if (!survey) throw unknownLink(publicId);
    // A survey without questions can't be answered.
    if (survey.status === 'active' && survey.questions.length > 0) return answerOf(survey);
    const brand = this.brandOf(survey);
    return this.answer(410, renderNotice('closed', language, { brand }), brand);
  }

  private thanks(survey: LinkedSurvey, language: Language): PageAnswer {
    const brand = this.brandOf(survey);
    const name = surveyName({ campaignName: survey.name, language });
    return this.answer(200, renderNotice('thanks', language, { name, brand }), brand);
  }

  private render(
    status: number,
    survey: LinkedSurvey,
    shown: Pick<SurveyForm, 'language' | 'identifier' | 'typed' | 'problems'>,
  ): PageAnswer {
    const { language } = shown;
    const url = `${this.base}/${survey.publicId}`;
    const brand = this.brandOf(survey);
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

  private brandOf(survey: LinkedSurvey): PageBrand | undefined {
    return pageBrand(survey, `${this.base}/${survey.publicId}`);
  }

  private answer(status: number, html: string, brand: PageBrand | undefined): PageAnswer {
    return { status, html, policy: brand && contentPolicy(this.frameAncestors, brand.style) };
  }
}

function unknownLink(publicId: string): ProblemError {
  return new ProblemError({ code: 'resource_not_found', model: 'survey_link', id: publicId });
}
