import { question } from '../../test/records';
import type { SurveyQuestion } from '../campaigns/survey-question';
import type { StoredResponse } from '../responses/response-fields';
import { exportColumns, type ExportedCampaign, typedCell } from './export-columns';

const campaign: ExportedCampaign = {
  id: '6f1c2b5e-8d3a-4b7e-9a51-0c2d4e6f8a01',
  name: 'Khách hàng mới',
  touchpoints: ['Cửa hàng', 'Website'],
  questions: [
    question(30, 'text', { title: 'Góp ý' }),
    question(4, 'multiple_choice', { title: 'Kênh', option_titles_by_id: { '1': 'Báo', '2': 'Bạn bè' } }),
    question(5, 'checkbox', { title: 'Màu', option_titles_by_id: { '1': 'Đỏ', '2': 'Xanh' } }),
    question(6, 'matrix', {
      title: 'Đánh giá',
      row_titles_by_id: { '10': 'Giá', '9': 'Nhân viên' },
      column_titles: ['Tốt', 'Kém'],
    }),
    question(7, 'ranking', { title: 'Ưu tiên', option_titles_by_id: { '10': 'Rẻ', '9': 'Nhanh' } }),
  ],
};

const response: StoredResponse = {
  identifier: '0b8f3c1a-1111-4222-8333-444455556666',
  sent_timestamp: new Date('2026-01-05T02:11:09Z'),
  sending_failed_timestamp: null,
  opened_timestamp: new Date('2026-01-05T17:00:00Z'),
  answered_timestamp: null,
  user_name: 'Nguyễn Văn A',
  user_phone: '+84 90 123',
  user_email: 'a@example.com',
  source: 'Zalo',
  transaction_id: 'T-1',
  tags: ['vip', 'mới'],
  metadata_mappings: { store: 'Hà Nội', scores: [1, 2], constructor: 'own' },
  answers: {
    '30': 'Rất tốt',
    '4': '2',
    '5': ['1', 'other: tím'],
    '6': { '9': 'Tốt' },
    '7': { '10': 1, '9': 2 },
  },
};

function cells(parts: Partial<StoredResponse> = {}, variables: string[] = []): Record<string, unknown> {
  const row = { ...response, ...parts };
  return Object.fromEntries(exportColumns(campaign, variables).map(({ name, value }) => [name, value(row)]));
}

describe('exportColumns', () => {
  it.each<[string, Record<string, unknown>, string, unknown]>([
    ['text as it is', { '30': '4' }, 'Question 30: Góp ý', '4'],
    ['an "other" choice as its text', { '4': 'other: đài' }, 'Question 4: Kênh', 'other: đài'],
    ['a choice named like a built-in property', { '4': 'constructor' }, 'Question 4: Kênh', 'constructor'],
    ['no selection as a missing value', { '5': [] }, 'Question 5: Màu', null],
    ['an unanswered question as a missing value', {}, 'Question 6 - 9: Đánh giá - Nhân viên', null],
    ['an answer of null as a missing value', { '4': null }, 'Question 4: Kênh', null],
    ['a single choice where several were asked for', { '5': '2' }, 'Question 5: Màu', 'Xanh'],
    ['several choices where one was asked for', { '4': ['1', '2'] }, 'Question 4: Kênh', 'Báo|Bạn bè'],
    ['an answer of an unexpected shape', { '30': { a: 1 } }, 'Question 30: Góp ý', '{"a":1}'],
    ['a matrix answer that is no dictionary', { '6': 'Tốt' }, 'Question 6 - 9: Đánh giá - Nhân viên', null],
  ])('shows %s', (_, answers, column, cell) => {
    expect(cells({ answers })[column]).toBe(cell);
  });

  it('leaves the touchpoints of a campaign without any as a missing value', () => {
    const columns = exportColumns({ ...campaign, touchpoints: [] }, []);
    expect(columns.find(({ name }) => name === 'Touchpoints')?.value(response)).toBeNull();
  });

  it.each([
    ['', ''],
    [0, 0],
    [true, 'true'],
    [['a', 1, null, ''], 'a|1||'],
    [[], null],
    [{ a: [1] }, '{"a":[1]}'],
  ])('shows the metadata value %j as %j', (store, cell) => {
    expect(cells({ metadata_mappings: { store } }, ['store'])).toMatchObject({ store: cell });
  });

  it('takes a metadata value from the mapping itself only', () => {
    expect(cells({ metadata_mappings: {} }, ['constructor'])).toMatchObject({ constructor: null });
    expect(cells({}, ['constructor'])).toMatchObject({ constructor: 'own' });
  });
});

describe('typedCell', () => {
  const typed = (metricType: SurveyQuestion['metric_type'], answers: Record<string, unknown>) => {
    const metric = { metric_type: metricType };
    const questions = [
      question(1, 'multiple_choice', {
        title: 'NPS',
        ...metric,
        option_titles_by_id: { a: '9', b: '10', c: 'Rất tốt', d: '4.5' },
      }),
      question(2, 'text', { title: 'CES', ...metric }),
      question(3, 'matrix', {
        title: 'CSAT',
        ...metric,
        row_titles_by_id: { '1': 'Giá' },
        column_titles: ['1', '2'],
      }),
      question(4, 'checkbox', { title: 'Several', ...metric, option_titles_by_id: { '1': '1', '2': '2' } }),
    ];
    const columns = exportColumns({ ...campaign, questions }, []).filter(({ name }) =>
      /^Question/.test(name),
    );
    return columns.map((column) => typedCell(column, { ...response, answers }));
  };

  it.each<[Record<string, unknown>, unknown[]]>([
    [{ '1': 'b', '2': '7', '3': { '1': '2' }, '4': ['2'] }, [10, 7, 2, 2]],
    [{ '1': 'd', '2': '-0.5', '4': ['1', '2'] }, [4.5, -0.5, null, '1|2']],
    [{ '1': 'c', '2': '07' }, ['Rất tốt', '07', null, null]],
    [{ '2': '1e3' }, [null, '1e3', null, null]],
    [{ '2': '1234567890123456' }, [null, '1234567890123456', null, null]],
  ])('of a metric is a number where the answer is one: %j', (answers, cells) => {
    expect(typed('nps', answers)).toEqual(cells);
  });

  it('of another question is what was answered', () => {
    expect(typed(null, { '1': 'b', '2': '7', '3': { '1': '2' }, '4': ['2'] })).toEqual(['10', '7', '2', '2']);
  });
});
