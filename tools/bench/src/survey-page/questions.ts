import type { SurveyQuestion } from '@cxp/survey-api/campaigns/survey-question';

const NONE = {
  metric_type: null,
  option_titles_by_id: null,
  row_titles_by_id: null,
  column_titles: null,
} as const;

function points(from: number, to: number): Record<string, string> {
  const all = Array.from({ length: to - from + 1 }, (_, index) => String(from + index));
  return Object.fromEntries(all.map((point) => [point, point]));
}

const OPTIONS = { 21: 'Giá cả', 22: 'Chất lượng sản phẩm', 23: 'Nhân viên', 24: 'Không gian cửa hàng' };

const KINDS: Omit<SurveyQuestion, 'id'>[] = [
  {
    ...NONE,
    type: 'multiple_choice',
    metric_type: 'nps',
    title: 'Anh/chị có sẵn lòng giới thiệu cửa hàng cho bạn bè không?',
    option_titles_by_id: points(0, 10),
  },
  { ...NONE, type: 'checkbox', title: 'Điều gì khiến anh/chị hài lòng?', option_titles_by_id: OPTIONS },
  {
    ...NONE,
    type: 'matrix',
    title: 'Anh/chị đánh giá thế nào về',
    row_titles_by_id: { 31: 'Thời gian chờ', 32: 'Cách đóng gói', 33: 'Thái độ phục vụ' },
    column_titles: ['Kém', 'Tạm được', 'Tốt', 'Rất tốt'],
  },
  {
    ...NONE,
    type: 'ranking',
    title: 'Xếp hạng các kênh liên hệ',
    option_titles_by_id: { 41: 'Chat', 42: 'Điện thoại', 43: 'Email' },
  },
  { ...NONE, type: 'text', title: 'Anh/chị muốn chúng tôi cải thiện điều gì?' },
];

/** Ten questions: each kind twice. */
export const QUESTIONS: SurveyQuestion[] = [...KINDS, ...KINDS].map((question, index) => ({
  ...question,
  id: index + 1,
}));
