import { randomUUID } from 'node:crypto';
import type { CampaignRecord } from '../src/campaigns/campaign.repository';
import { campaignRecord, question, responseRecord } from './records';

/** A campaign with every kind of question, two metadata fields, and two responses with all that a cell may hold. */
export function exportFixture(campaignId: string) {
  const campaign: CampaignRecord = campaignRecord({
    id: campaignId,
    name: 'Khảo sát "sau mua"\t😀',
    touchpoints: ['Cửa hàng', 'Website'],
    survey_questions: [
      question(21, 'text', { title: 'Góp ý' }),
      question(3, 'multiple_choice', {
        title: 'Hài lòng?',
        option_titles_by_id: { '1': 'Có', '2': 'Không' },
      }),
      question(4, 'checkbox', {
        title: 'Lý do',
        option_titles_by_id: { '1': 'Giá', '2': 'Chất lượng', '10': 'Vị trí' },
      }),
      question(5, 'matrix', {
        title: 'Đánh giá',
        row_titles_by_id: { '10': 'Nhân viên', '9': 'Giá' },
        column_titles: ['Tốt', 'Kém'],
      }),
      question(6, 'ranking', { title: 'Xếp hạng', option_titles_by_id: { '2': 'Giá', '1': 'Tốc độ' } }),
    ],
  });
  const answered = responseRecord({
    identifier: '00000000-0000-4000-8000-000000000001',
    survey_campaign_id: campaignId,
    sent_timestamp: '2026-01-05T02:00:00.999Z',
    sending_failed_timestamp: '2026-01-05T16:59:59Z',
    opened_timestamp: '2026-01-05T17:00:00Z',
    answered_timestamp: '2026-12-31T23:59:59Z',
    user_name: 'Nguyễn "Hoa" Thị\n😀',
    user_phone: '+84 90-123.4567',
    user_email: 'hoa@example.com',
    source: 'Zalo',
    transaction_id: "=cmd|' /C calc'!A0",
    tags: ['vip', 'mới'],
    metadata_mappings: { store: 'Hà\tNội', count: 3, unknown: 'x' },
    answers: {
      '21': 'Rất tốt,\r\ncảm ơn "shop"\t😀',
      '3': '1',
      '4': ['10', '1', 'Khác: bãi xe'],
      '5': { '9': 'Tốt', '10': 'Kém' },
      '6': { '1': 2, '2': 1 },
    },
  });
  const bare = responseRecord({
    identifier: '00000000-0000-4000-8000-000000000002',
    survey_campaign_id: campaignId,
    sent_timestamp: '2026-01-06T02:00:00Z',
  });
  const heading = [
    'Response ID',
    'Timestamp sent',
    'Timestamp sending failed',
    'Timestamp opened',
    'Timestamp answered',
    'Customer name',
    'Customer phone',
    'Customer email',
    'Distribution channel',
    'Transaction ID',
    'Campaign ID',
    'Campaign Name',
    'Touchpoints',
    'Tags',
    'Question 21: Góp ý',
    'Question 3: Hài lòng?',
    'Question 4: Lý do',
    'Question 5 - 9: Đánh giá - Giá',
    'Question 5 - 10: Đánh giá - Nhân viên',
    'Question 6 - 1: Xếp hạng - Tốc độ',
    'Question 6 - 2: Xếp hạng - Giá',
    'store',
    'count',
  ];
  const cells = [
    [
      answered.identifier,
      '2026-01-05 09:00:00',
      '2026-01-05 23:59:59',
      '2026-01-06 00:00:00',
      '2027-01-01 06:59:59',
      'Nguyễn "Hoa" Thị\n😀',
      '+84 90-123.4567',
      'hoa@example.com',
      'Zalo',
      "=cmd|' /C calc'!A0",
      campaignId,
      'Khảo sát "sau mua"\t😀',
      'Cửa hàng|Website',
      'vip|mới',
      'Rất tốt,\r\ncảm ơn "shop"\t😀',
      'Có',
      'Vị trí|Giá|Khác: bãi xe',
      'Tốt',
      'Kém',
      2,
      1,
      'Hà\tNội',
      3,
    ],
    [
      bare.identifier,
      '2026-01-06 09:00:00',
      ...Array<null>(8).fill(null),
      campaignId,
      'Khảo sát "sau mua"\t😀',
      'Cửa hàng|Website',
      ...Array<null>(10).fill(null),
    ],
  ];
  return {
    records: [
      ['survey_campaign', campaign],
      ['metadata_field', { id: 10, name: 'Số lần', variable: 'count' }],
      ['metadata_field', { id: 9, name: 'Cửa hàng', variable: 'store' }],
      ['survey_response', bare],
      ['survey_response', answered],
      ['survey_response', responseRecord({ survey_campaign_id: randomUUID() })],
    ] as const,
    heading,
    /** Cells as they are meant, before a format writes them. */
    cells,
    /** As a workbook holds them: times are dates, as if the wall time were UTC. */
    dated: cells.map((row) =>
      row.map((cell, column) =>
        typeof cell === 'string' && column >= 1 && column <= 4
          ? new Date(`${cell.replace(' ', 'T')}Z`)
          : cell,
      ),
    ),
    /** As a spreadsheet reads them from a file of text: everything is text, formulas are defused. */
    texts: cells.map((row) =>
      row.map((cell) => (typeof cell === 'string' && cell.startsWith('=') ? `'${cell}` : String(cell ?? ''))),
    ),
  };
}
