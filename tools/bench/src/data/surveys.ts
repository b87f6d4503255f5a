import { randomUUID } from 'node:crypto';
import type { SurveyQuestion } from '@cxp/survey-api/campaigns/survey-question';

const titles = (prefix: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [String(i + 1), `${prefix} ${i + 1}`]));
const question = (parts: Partial<SurveyQuestion> & Pick<SurveyQuestion, 'id' | 'type'>) => ({
  title: `Câu hỏi số ${parts.id}`,
  ...parts,
});

/** The 20 question columns: 5 texts, 5 choices, 2 checkboxes, a matrix of 4 rows, a ranking of 4 options. */
export const QUESTIONS = [
  ...[1, 2, 3, 4, 5].map((id) => question({ id, type: 'text' })),
  ...[6, 7, 8, 9, 10].map((id) =>
    question({ id, type: 'multiple_choice', option_titles_by_id: titles('Lựa chọn', 5) }),
  ),
  ...[11, 12].map((id) => question({ id, type: 'checkbox', option_titles_by_id: titles('Lý do', 6) })),
  question({ id: 13, type: 'matrix', row_titles_by_id: titles('Mục', 4), column_titles: ['Tốt', 'Kém'] }),
  question({ id: 14, type: 'ranking', option_titles_by_id: titles('Tiêu chí', 4) }),
];

/** With the 14 fixed columns and the questions they make 40. */
export const METADATA_FIELDS = ['store', 'cashier', 'tier', 'order_value', 'device', 'segment'].map(
  (variable, index) => ({ id: index + 1, name: variable, variable }),
);

/** What responses and links of campaigns need. */
export function campaignRecords(ids: readonly string[], questions: readonly object[] = QUESTIONS): object[] {
  const campaign = {
    name: 'Khảo sát sau mua hàng',
    status: 'active',
    touchpoints: ['Cửa hàng', 'Website'],
    survey_questions: questions,
  };
  return [
    { type: 'organization_settings', data: { max_survey_links_per_campaign: 1_000_000 } },
    ...METADATA_FIELDS.map((data) => ({ type: 'metadata_field', data })),
    ...ids.map((id) => ({ type: 'survey_campaign', data: { id, ...campaign } })),
  ];
}

/** Responses that fill all 40 columns. */
export function fullResponses(campaignId: string, count: number): object[] {
  return Array.from({ length: count }, (_, n) => ({
    type: 'survey_response',
    data: fullResponse(campaignId, n),
  }));
}

function fullResponse(campaignId: string, n: number): object {
  const time = (seconds: number) => new Date(Date.UTC(2026, 9, 1, 0, n, seconds)).toISOString();
  const choice = String(1 + (n % 5));
  return {
    identifier: randomUUID(),
    survey_campaign_id: campaignId,
    sent_timestamp: time(0),
    sending_failed_timestamp: n % 20 === 0 ? time(1) : null,
    opened_timestamp: time(30),
    answered_timestamp: time(59),
    user_name: `Nguyễn Thị Hoa ${n}`,
    user_phone: `+84 90 ${1_000_000 + n}`,
    user_email: `hoa.${n}@example.com`,
    source: 'Zalo',
    transaction_id: `INV-2026-${n}`,
    tags: ['vip', 'khách mới'],
    metadata_mappings: {
      store: `Hà Nội ${n % 30}`,
      cashier: `NV-${n % 100}`,
      tier: 'Vàng',
      order_value: 50_000 + n,
      device: 'Mobile',
      segment: 'trực tuyến',
    },
    answers: {
      '1': 'Nhân viên rất nhiệt tình, tư vấn kỹ và vui vẻ.',
      '2': `Cửa hàng "số ${n % 30}"`,
      '3': 'Chờ hơi lâu vào cuối tuần',
      '4': 'Cảm ơn 😀',
      '5': 'Không có góp ý gì thêm',
      ...Object.fromEntries([6, 7, 8, 9, 10].map((id) => [id, choice])),
      '11': [choice, '6'],
      '12': ['1', 'Khác: bãi xe'],
      '13': { '1': 'Tốt', '2': 'Kém', '3': 'Tốt', '4': 'Tốt' },
      '14': { '1': 4, '2': 3, '3': 2, '4': 1 },
    },
  };
}

/** So many responses of everyday size, spread over 90 days. */
export function* manyResponses(campaignId: string, count: number): Generator<object> {
  const start = Date.UTC(2026, 7, 1);
  const step = (90 * 86_400_000) / count;
  for (let n = 0; n < count; n += 1) {
    const sent = new Date(start + n * step).toISOString();
    const data = {
      identifier: randomUUID(),
      survey_campaign_id: campaignId,
      sent_timestamp: sent,
      answered_timestamp: sent,
      user_name: `Khách ${n}`,
      user_phone: '+84 90 000 0000',
      source: 'Zalo',
      metadata_mappings: { store: `Hà Nội ${n % 30}` },
      answers: { '1': 'Tốt', '6': '1' },
    };
    yield { type: 'survey_response', data };
  }
}
