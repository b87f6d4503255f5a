import request from 'supertest';
import type { TestService } from '@cxp/service-kit/testing';
import type { SurveyQuestion } from '../src/campaigns/survey-question';
import { startSurvey, Survey } from './survey-service';

export const PAGE_SETTINGS = { SURVEY_PUBLIC_URL: 'https://s.example.com' };

export function startSurveyWithPages(environment: Record<string, string> = {}): Promise<TestService> {
  return startSurvey({ ...PAGE_SETTINGS, ...environment });
}

const NONE = {
  metric_type: null,
  option_titles_by_id: null,
  row_titles_by_id: null,
  column_titles: null,
} as const;
const points = (from: number, to: number) =>
  Object.fromEntries(
    Array.from({ length: to - from + 1 }, (_, index) => [String(from + index), String(from + index)]),
  );

/** One question of each kind, and one of each scale. */
export const QUESTIONS: SurveyQuestion[] = [
  {
    ...NONE,
    id: 1,
    type: 'multiple_choice',
    metric_type: 'nps',
    title: 'How likely are you to recommend us?',
    option_titles_by_id: points(0, 10),
  },
  {
    ...NONE,
    id: 2,
    type: 'checkbox',
    title: 'What did you like?',
    option_titles_by_id: { '23': 'Staff', '3': 'Opening hours', '21': 'Price', '22': 'Quality' },
  },
  {
    ...NONE,
    id: 3,
    type: 'matrix',
    title: 'How satisfied are you with',
    row_titles_by_id: { '31': 'the delivery', '32': 'the packaging' },
    column_titles: ['Not at all', 'Somewhat', 'Very'],
  },
  {
    ...NONE,
    id: 4,
    type: 'ranking',
    title: 'Rank the channels you prefer',
    option_titles_by_id: { '41': 'Chat', '42': 'Phone', '43': 'Email' },
  },
  { ...NONE, id: 5, type: 'text', title: 'Anything else?' },
  {
    ...NONE,
    id: 6,
    type: 'multiple_choice',
    title: 'Where did you hear of us?',
    option_titles_by_id: { '61': 'A friend', '62': 'An advertisement' },
  },
  {
    ...NONE,
    id: 7,
    type: 'multiple_choice',
    metric_type: 'csat',
    title: 'How satisfied were you?',
    option_titles_by_id: points(1, 5),
  },
  {
    ...NONE,
    id: 8,
    type: 'multiple_choice',
    metric_type: 'ces',
    title: 'How easy was it?',
    option_titles_by_id: points(1, 7),
  },
];

/** All of them, as a form sends them and as responses show them. */
export const FORM = {
  q1: '9',
  q2: ['21', '23'],
  'q3.31': 'Very',
  'q3.32': 'Somewhat',
  'q4.41': '2',
  'q4.42': '1',
  'q4.43': '3',
  q5: 'Cảm ơn!\r\nRất tốt 😀',
  q6: '62',
  q7: '4',
  q8: '7',
} satisfies Form;
export const ANSWERS = {
  '1': '9',
  '2': ['21', '23'],
  '3': { '31': 'Very', '32': 'Somewhat' },
  '4': { '41': 2, '42': 1, '43': 3 },
  '5': 'Cảm ơn!\nRất tốt 😀',
  '6': '62',
  '7': '4',
  '8': '7',
};

/** A brand with a logo. */
export const BRAND = {
  name: 'Hoa & Sons',
  color: '#C4161C',
  logo: `data:image/svg+xml;base64,${Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 32"><path fill="#c4161c" d="M0 0h64v32H0z"/></svg>',
  ).toString('base64')}`,
};

/** A PNG file of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

export type Form = Readonly<Record<string, string | readonly string[]>>;

/** A campaign with its link, of an organization of its own. */
export class LinkedCampaign extends Survey {
  publicId = 'A'.repeat(22);

  static async create(
    service: TestService,
    questions: readonly SurveyQuestion[] = QUESTIONS,
    link: object = { name: 'Secret name' },
  ): Promise<LinkedCampaign> {
    const campaign = new LinkedCampaign();
    campaign.service = service;
    campaign.caller = await service.caller();
    await campaign.change({ survey_questions: questions });
    await campaign.import(
      ['metadata_field', { id: 1, name: 'Cửa hàng', variable: 'store' }],
      ['metadata_field', { id: 2, name: 'Nhãn', variable: 'labels' }],
    );
    const { body } = await campaign.createLink(link).expect(200);
    campaign.publicId = (body as { public_id: string }).public_id;
    return campaign;
  }

  /** Replaces the campaign's record. */
  change(parts: Parameters<Survey['importCampaign']>[0]): Promise<string> {
    return this.importCampaign({ survey_questions: QUESTIONS, ...parts });
  }

  /** Replaces the settings of the organization. */
  async show(brand: object | null): Promise<void> {
    await this.import(['organization_settings', { brand }]);
  }

  get path(): string {
    return `/s/${this.publicId}`;
  }

  open(query = ''): request.Test {
    return request(this.service.url).get(this.path + query);
  }

  /** The response id of a new page. */
  async newIdentifier(): Promise<string> {
    const { text } = await this.open().expect(200);
    return identifierIn(text);
  }

  submitForm(form: Form, query = ''): request.Test {
    return this.postForm(bodyOf(form), query);
  }

  /** As a page without JavaScript does when its language is changed. */
  translate(form: Form, query: string): request.Test {
    return this.postForm(bodyOf(form), query, '');
  }

  postForm(body: string | Buffer, query = '', path = '/responses'): request.Test {
    return request(this.service.url)
      .post(`${this.path}${path}${query}`)
      .set('content-type', 'application/x-www-form-urlencoded')
      .serialize((text: string) => text)
      .send(body);
  }

  /** C2, over all days. */
  async responses(): Promise<Record<string, unknown>[]> {
    const { body } = await this.listResponses({ ...this.window, per_page: 100 }).expect(200);
    return (body as { items: Record<string, unknown>[] }).items;
  }

  /** C3, as JSON. */
  exported(): Promise<Record<string, unknown>[]> {
    return this.exportedRows(this.window);
  }

  private get window() {
    const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
    return { start_date: day(-8), end_date: day(3) };
  }
}

function bodyOf(form: Form): string {
  const fields = Object.entries(form).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );
  return new URLSearchParams(fields).toString();
}

export function identifierIn(html: string): string {
  return /name="identifier" value="([^"]+)"/.exec(html)![1]!;
}
