import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { ProblemError, type InvalidItem } from '@cxp/error-envelopes';
import { SurveySettings } from '../settings';
import type { Submission, SubmissionState } from '../submissions/submission';
import { SubmissionService } from '../submissions/submission.service';
import { answersOfForm, IDENTIFIER_FIELD, type FormFields } from './form-fields';
import { LinkedSurveyReadModel, type LinkedSurvey } from './linked-survey.read-model';
import type { Language } from './page-language';
import { ResponseSeal } from './response-seal';
import type { PageSubmission } from './submission.guard';
import { judgeAnswers, problemItem } from './submitted-answers';
import { parseSubmissionRequest, type SubmissionResponse } from './survey-page.dto';
import { PAGE_SCRIPT } from './view/document';
import { renderNotice } from './view/notice-page';
import { NOTHING_TYPED, renderSurvey, type Refusal } from './view/survey-form';

/** What one answer lists at most. */
const MAX_ITEMS = 100;

export interface PageAnswer {
  readonly status: number;
  readonly html: string;
  readonly retryAfterSeconds?: number;
}

@Injectable()
export class SurveyPageService {
  /** The path of the pages, as browsers see it. */
  private readonly base: string;
  private readonly submitted: Counter<'state' | 'outcome'>;

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
      labelNames: ['state', 'outcome'],
      registers: [registry],
    });
  }

  /** @throws ProblemError when the link is unknown, or its campaign is not active */
  async page(publicId: string, language: Language): Promise<string> {
    const survey = await this.find(publicId);
    return this.render(publicId, survey, language, this.seal.create(publicId), NOTHING_TYPED);
  }

  /** @throws ProblemError when the link is unknown, or its campaign is not active */
  async submitForm(
    publicId: string,
    { fields, retryAfterSeconds }: Extract<PageSubmission, { kind: 'form' }>,
    language: Language,
  ): Promise<PageAnswer> {
    const survey = await this.find(publicId);
    const sealed = fields.get(IDENTIFIER_FIELD)?.join();
    const identifier = this.seal.open(publicId, sealed);
    const refuse = (status: number, refusal: Refusal): PageAnswer => {
      const kept = identifier && sealed ? sealed : this.seal.create(publicId);
      const html = this.render(publicId, survey, language, kept, fields, refusal);
      return { status, html, retryAfterSeconds };
    };
    if (retryAfterSeconds !== undefined) {
      this.submitted.inc({ state: 'answered', outcome: 'limited' });
      return refuse(429, { reason: 'too_many', retryAfterSeconds });
    }
    const { answers, problems } = judgeAnswers(answersOfForm(fields, survey.questions), survey.questions);
    const refusal = refusalOf(problems, answers, identifier);
    if (refusal || !identifier) {
      this.submitted.inc({ state: 'answered', outcome: 'invalid' });
      return refuse(422, refusal ?? { reason: 'foreign_identifier' });
    }
    await this.store(survey, { publicId, identifier, state: 'answered', answers });
    this.submitted.inc({ state: 'answered', outcome: 'stored' });
    return { status: 200, html: renderNotice('thanks', language) };
  }

  /** @throws ProblemError when the link is unknown, its campaign is not active, or the submission is not sound */
  async submitJson(publicId: string, body: unknown): Promise<SubmissionResponse> {
    const survey = await this.find(publicId);
    const request = parseSubmissionRequest(body);
    if ('length' in request) throw this.invalid('unknown', request);
    const { state, identifier: sealed } = request;
    const identifier = this.seal.open(publicId, sealed);
    const { answers, problems } = judgeAnswers(request.answers, survey.questions);
    const items = problems.map(problemItem);
    if (!identifier) items.unshift(FOREIGN_IDENTIFIER);
    if (state === 'answered' && items.length === 0 && isEmpty(answers)) items.push(NOTHING_ANSWERED);
    if (items.length > 0 || !identifier) throw this.invalid(state, items);
    await this.store(survey, { publicId, identifier, state, answers });
    this.submitted.inc({ state, outcome: 'stored' });
    return { identifier: String(sealed), state };
  }

  private store(
    { organizationId, campaignId }: LinkedSurvey,
    submission: Pick<Submission, 'publicId' | 'identifier' | 'state' | 'answers'>,
  ): Promise<void> {
    return this.submissions.store({ organizationId, campaignId, submittedAt: new Date(), ...submission });
  }

  private async find(publicId: string): Promise<LinkedSurvey> {
    const survey = await this.surveys.find(publicId);
    if (!survey) throw new ProblemError({ code: 'resource_not_found', model: 'survey_link', id: publicId });
    if (survey.status === 'active') return survey;
    throw new ProblemError({ code: 'request_malformed', status: 410, message: 'Survey closed' });
  }

  private invalid(state: SubmissionState | 'unknown', items: readonly InvalidItem[]): ProblemError {
    this.submitted.inc({ state, outcome: 'invalid' });
    return new ProblemError({ code: 'invalid', items: items.slice(0, MAX_ITEMS) });
  }

  private render(
    publicId: string,
    { name, questions }: LinkedSurvey,
    language: Language,
    identifier: string,
    typed: FormFields,
    refusal?: Refusal,
  ): string {
    const url = `${this.base}/${publicId}`;
    return renderSurvey({
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

function refusalOf(
  problems: Extract<Refusal, { reason: 'invalid' }>['problems'],
  answers: object,
  identifier: string | undefined,
): Refusal | undefined {
  if (problems.length > 0) return { reason: 'invalid', problems };
  if (isEmpty(answers)) return { reason: 'nothing_answered' };
  return identifier ? undefined : { reason: 'foreign_identifier' };
}

function isEmpty(answers: object): boolean {
  return Object.keys(answers).length === 0;
}
