import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { ProblemError, type InvalidItem } from '@cxp/error-envelopes';
import { SurveySettings } from '../settings';
import type { Answers } from '../responses/answers';
import { completeResponse } from '../responses/response-record';
import type { FormFields } from '../questions/form-field';
import { answersOfForm, IDENTIFIER_FIELD } from './form-fields';
import { htmlOf } from './html-pieces';
import { LinkedSurveyReadModel, type LinkedSurvey } from './linked-survey.read-model';
import type { Language } from './page-language';
import { ResponseSeal, type OpenedResponse } from './response-seal';
import { SubmissionService } from './submission.service';
import { checkSubmittedAnswers, problemItem, type AnswerProblem } from './submitted-answers';
import { parseSubmissionRequest, type SubmissionResponse } from './survey-page.dto';
import { PAGE_SCRIPT } from './view/document';
import { renderNotice } from './view/notice-page';
import { NOTHING_TYPED, surveyPieces, type Refusal } from './view/survey-form';

/** What one answer lists at most. */
const MAX_ITEMS = 100;

export interface PageAnswer {
  readonly status: number;
  readonly html: string | Readable;
}

@Injectable()
export class SurveyPageService {
  /** The path of the pages, as browsers see it. */
  private readonly base: string;
  private readonly submitted: Counter<'outcome'>;

  constructor(
    private readonly surveys: LinkedSurveyReadModel,
    private readonly submissions: SubmissionService,
    private readonly seal: ResponseSeal,
    { SURVEY_PUBLIC_URL = '' }: SurveySettings,
    registry: Registry,
  ) {
    this.base = `${new URL(SURVEY_PUBLIC_URL).pathname.replace(/\/$/, '')}/s`;
    this.submitted = new Counter({
      name: 'survey_page_submissions_total',
      help: 'What browsers sent to the survey pages',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /** @throws ProblemError when the link is unknown, or its campaign is not active */
  async page(publicId: string, language: Language): Promise<string | Readable> {
    const survey = await this.find(publicId);
    return this.render(publicId, survey, language, this.seal.create(publicId), NOTHING_TYPED);
  }

  /** @throws ProblemError when the link is unknown, or its campaign is not active */
  async submitForm(publicId: string, fields: FormFields, language: Language): Promise<PageAnswer> {
    const survey = await this.find(publicId);
    const sealed = fields.get(IDENTIFIER_FIELD)?.join();
    const opened = this.seal.open(publicId, sealed);
    const { answers, problems } = checkSubmittedAnswers(
      answersOfForm(fields, survey.questions),
      survey.questions,
    );
    const refusal = refusalOf(problems, answers);
    if (opened && !refusal) {
      await this.store(publicId, survey, opened, answers);
      return { status: 200, html: renderNotice('thanks', language) };
    }
    this.submitted.inc({ outcome: 'invalid' });
    const kept = opened && sealed ? sealed : this.seal.create(publicId);
    const reason = refusal ?? { reason: 'foreign_identifier' };
    return { status: 422, html: this.render(publicId, survey, language, kept, fields, reason) };
  }

  /** @throws ProblemError when the link is unknown, its campaign is not active, or the submission is not sound */
  async submitJson(publicId: string, body: unknown): Promise<SubmissionResponse> {
    const survey = await this.find(publicId);
    const request = parseSubmissionRequest(body);
    if ('length' in request) throw this.invalid(request);
    const opened = this.seal.open(publicId, request.identifier);
    const { answers, problems } = checkSubmittedAnswers(request.answers, survey.questions);
    const items = problems.map(problemItem);
    if (!opened) items.unshift(FOREIGN_IDENTIFIER);
    if (items.length === 0 && isEmpty(answers)) items.push(NOTHING_ANSWERED);
    if (items.length > 0 || !opened) throw this.invalid(items);
    await this.store(publicId, survey, opened, answers);
    return { identifier: String(request.identifier) };
  }

  /** Answered responses are the only ones that are stored. */
  private async store(
    publicId: string,
    { organizationId, campaignId, hasMetadata }: LinkedSurvey,
    { identifier, openedAt }: OpenedResponse,
    answers: Answers,
  ): Promise<void> {
    // The clock of the process that made the page may be ahead.
    const answeredAt = new Date(Math.max(Date.now(), Number(openedAt)));
    await this.submissions.store({
      organizationId,
      response: completeResponse({
        identifier,
        survey_campaign_id: campaignId,
        opened_timestamp: openedAt.toISOString(),
        answered_timestamp: answeredAt.toISOString(),
        source: 'Anonymous Link',
        answers,
      }),
      linkWithMetadata: hasMetadata ? publicId : undefined,
    });
    this.submitted.inc({ outcome: 'stored' });
  }

  private async find(publicId: string): Promise<LinkedSurvey> {
    const survey = await this.surveys.find(publicId);
    if (!survey) throw new ProblemError({ code: 'resource_not_found', model: 'survey_link', id: publicId });
    if (survey.status === 'active') return survey;
    throw new ProblemError({ code: 'gone', message: 'Survey closed' });
  }

  private invalid(items: readonly InvalidItem[]): ProblemError {
    this.submitted.inc({ outcome: 'invalid' });
    return new ProblemError({ code: 'invalid', items: items.slice(0, MAX_ITEMS) });
  }

  private render(
    publicId: string,
    { name, questions }: LinkedSurvey,
    language: Language,
    identifier: string,
    typed: FormFields,
    refusal?: Refusal,
  ): string | Readable {
    const url = `${this.base}/${publicId}`;
    const pieces = surveyPieces({
      language,
      campaignName: name,
      questions,
      identifier,
      action: `${url}/responses?lang=${language}`,
      scriptUrl: `${this.base}/assets/${PAGE_SCRIPT.name}`,
      // A change of page would lose what was typed.
      otherLanguageUrl: refusal ? undefined : `${url}?lang=${language === 'vi' ? 'en' : 'vi'}`,
      typed,
      refusal,
    });
    return htmlOf(pieces);
  }
}

const FOREIGN_IDENTIFIER: InvalidItem = {
  loc: ['body', 'identifier'],
  msg: 'identifier must be one that a page of this link gave',
  type: 'foreign_identifier',
};

const NOTHING_ANSWERED: InvalidItem = {
  loc: ['body', 'answers'],
  msg: 'At least one question must be answered',
  type: 'nothing_answered',
};

function refusalOf(problems: readonly AnswerProblem[], answers: object): Refusal | undefined {
  if (problems.length > 0) return { reason: 'invalid', problems };
  return isEmpty(answers) ? { reason: 'nothing_answered' } : undefined;
}

function isEmpty(answers: object): boolean {
  return Object.keys(answers).length === 0;
}
