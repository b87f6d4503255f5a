import type { FastifyRequest } from 'fastify';
import { type MetricType, SURVEY_LANGUAGES, type SurveyLanguage } from '@cxp/records';
import type { AnswerProblem } from '../questions/question-kind';

export const LANGUAGES = SURVEY_LANGUAGES;
export type Language = SurveyLanguage;

/** `?lang=`, then `Accept-Language` (RFC 9110, 12.5.4). Without either the page has its campaign's language, or this. */
export const DEFAULT_LANGUAGE: Language = 'vi';

export function chosenLanguage({
  query,
  headers,
}: Pick<FastifyRequest, 'query' | 'headers'>): Language | undefined {
  const { lang } = (query ?? {}) as { lang?: unknown };
  return LANGUAGES.find((language) => language === lang) ?? accepted(headers['accept-language'] ?? '');
}

function accepted(header: string): Language | undefined {
  let preferred: Language | undefined;
  let best = 0;
  for (const range of header.toLowerCase().split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    const quality = weight === undefined ? 1 : Number(weight.slice(2));
    const language = LANGUAGES.find((known) => known === tag.split('-', 1)[0]);
    if (language && quality > best) [preferred, best] = [language, quality];
  }
  return preferred;
}

const vi = {
  language: 'vi' as Language,
  survey: 'Khảo sát',
  intro: (questions: number) => `${questions} câu hỏi. Bạn có thể bỏ qua những câu không muốn trả lời.`,
  question: (number: number, total: number) => `Câu ${number}/${total}`,
  otherLanguage: { language: 'en' as Language, name: 'English' },
  chooseOne: 'Chọn một đáp án',
  choosePoint: 'Chọn một mức điểm',
  chooseSeveral: 'Có thể chọn nhiều đáp án',
  chooseInEachRow: 'Chọn một đáp án cho mỗi dòng',
  rank: (options: number) => `Xếp hạng từ 1 (thích nhất) đến ${options}. Mỗi thứ hạng chỉ dùng một lần.`,
  writeFreely: 'Tối đa 5.000 ký tự',
  clear: 'Bỏ chọn',
  scaleEnds: {
    nps: ['Chắc chắn không', 'Chắc chắn có'],
    csat: ['Rất không hài lòng', 'Rất hài lòng'],
    ces: ['Rất khó khăn', 'Rất dễ dàng'],
  } as Record<MetricType, readonly [string, string]>,
  submit: 'Gửi câu trả lời',
  answered: 'câu đã trả lời',
  privacy:
    'Trang này chỉ gửi dữ liệu khi bạn bấm gửi: các câu trả lời, cùng thời điểm bạn mở trang. Nếu trình duyệt tắt JavaScript, việc đổi ngôn ngữ cũng gửi những gì bạn đã nhập, nhưng chúng không được lưu lại. Trang không dùng cookie và không lưu gì trên thiết bị của bạn.',
  chosen: 'Đáp án của bạn đã được chọn nhưng chưa gửi. Vui lòng bấm gửi khi trả lời xong.',
  sending: 'Đang gửi…',
  /** `{}` is the number of seconds until the next attempt. */
  notSent:
    'Chưa gửi được. Các câu trả lời vẫn còn trên trang này và sẽ tự động được gửi lại sau {} giây. Vui lòng không đóng trang.',
  errorTitle: 'Vui lòng kiểm tra lại',
  errorPrefix: 'Lỗi: ',
  errors: {
    unknown_question:
      'Một câu hỏi không còn trong khảo sát này. Các câu trả lời khác của bạn vẫn được giữ nguyên.',
    changed_question: 'Câu hỏi này đã thay đổi. Vui lòng trả lời lại.',
    unknown_choice: 'Một đáp án bạn chọn không còn nữa. Vui lòng chọn lại.',
    /** `{}` is the last rank. */
    rank_out_of_range: 'Có thứ hạng không hợp lệ. Vui lòng dùng số từ 1 đến {}, mỗi số một lần.',
    rank_tied: 'Mỗi thứ hạng chỉ dùng được một lần. Vui lòng chọn các thứ hạng khác nhau.',
    string_too_long: 'Câu trả lời quá dài. Vui lòng rút gọn còn tối đa 5.000 ký tự.',
    string_unicode: 'Câu trả lời có ký tự không hợp lệ. Vui lòng nhập lại.',
  } satisfies Record<AnswerProblem, string>,
  nothingAnswered: 'Bạn chưa trả lời câu nào. Vui lòng trả lời ít nhất một câu trước khi gửi.',
  removedAnswer: 'Bạn đã viết:',
  notices: {
    thanks: {
      title: 'Cảm ơn bạn!',
      text: 'Chúng tôi đã nhận được câu trả lời. Bạn có thể đóng trang này.',
    },
    not_found: {
      title: 'Không tìm thấy khảo sát',
      text: 'Đường dẫn có thể đã bị thiếu hoặc sai. Vui lòng mở lại đường dẫn đầy đủ trong tin nhắn bạn nhận được.',
    },
    not_open: {
      title: 'Khảo sát chưa mở',
      text: 'Khảo sát này chưa bắt đầu nhận câu trả lời. Vui lòng quay lại sau.',
    },
    closed: {
      title: 'Khảo sát đã đóng',
      text: 'Khảo sát này hiện không nhận câu trả lời. Cảm ơn bạn đã quan tâm.',
    },
    too_large: {
      title: 'Câu trả lời quá dài',
      text: 'Câu trả lời của bạn vượt quá dung lượng cho phép nên chưa được gửi. Vui lòng quay lại trang trước, rút gọn và gửi lại.',
    },
    too_many: {
      title: 'Vui lòng đợi một chút',
      text: 'Hiện có quá nhiều lượt truy cập. Nếu bạn vừa gửi câu trả lời thì chúng chưa được ghi nhận: vui lòng quay lại trang trước và gửi lại sau giây lát.',
    },
    unreadable: {
      title: 'Không đọc được câu trả lời',
      text: 'Dữ liệu gửi lên không đúng định dạng nên chưa được ghi nhận. Vui lòng quay lại trang trước và gửi lại.',
    },
    unavailable: {
      title: 'Tạm thời gián đoạn',
      text: 'Hệ thống đang bận. Nếu bạn vừa gửi câu trả lời thì chúng chưa được ghi nhận: vui lòng quay lại trang trước và gửi lại sau giây lát.',
    },
    failed: {
      title: 'Đã xảy ra lỗi',
      text: 'Rất tiếc, đã có lỗi từ phía chúng tôi. Vui lòng thử lại sau ít phút.',
    },
  },
};

export type PageTexts = typeof vi;

export type NoticeKind = keyof PageTexts['notices'];

const en: PageTexts = {
  language: 'en',
  survey: 'Survey',
  intro: (questions) =>
    questions === 1
      ? '1 question.'
      : `${questions} questions. Feel free to skip any that you would rather not answer.`,
  question: (number, total) => `Question ${number} of ${total}`,
  otherLanguage: { language: 'vi', name: 'Tiếng Việt' },
  chooseOne: 'Choose one',
  choosePoint: 'Choose a score',
  chooseSeveral: 'Choose all that apply',
  chooseInEachRow: 'Choose one in each row',
  rank: (options) => `Rank from 1 (your favourite) to ${options}. Use each rank once.`,
  writeFreely: 'Up to 5,000 characters',
  clear: 'Clear',
  scaleEnds: {
    nps: ['Not at all likely', 'Extremely likely'],
    csat: ['Very dissatisfied', 'Very satisfied'],
    ces: ['Very difficult', 'Very easy'],
  },
  submit: 'Send answers',
  answered: 'answered',
  privacy:
    'This page sends nothing before you press Send: then your answers, and when you opened the page. If JavaScript is off, changing the language sends what you have typed, too, but it is not stored. The page uses no cookies and keeps nothing on your device.',
  chosen: 'Your answer is chosen, but not sent yet. Press Send when you are done.',
  sending: 'Sending…',
  notSent:
    'Not sent yet. Your answers are still on this page, which sends them again by itself in {} seconds. Please keep it open.',
  errorTitle: 'Please check your answers',
  errorPrefix: 'Error: ',
  errors: {
    unknown_question: 'A question is no longer part of this survey. Your other answers are still here.',
    changed_question: 'This question has changed. Please answer it again.',
    unknown_choice: 'An option you chose is no longer available. Please choose again.',
    rank_out_of_range: 'A rank is not valid. Please use numbers from 1 to {}, each once.',
    rank_tied: 'Each rank can be used only once. Please choose different ranks.',
    string_too_long: 'Your answer is too long. Please shorten it to 5,000 characters or fewer.',
    string_unicode: 'Your answer contains characters that cannot be used. Please type it again.',
  },
  nothingAnswered: 'You have not answered any question yet. Please answer at least one before sending.',
  removedAnswer: 'You wrote:',
  notices: {
    thanks: {
      title: 'Thank you!',
      text: 'We have received your answers. You can close this page now.',
    },
    not_found: {
      title: 'Survey not found',
      text: 'The link may be incomplete or mistyped. Please open the full link from the message you received.',
    },
    not_open: {
      title: 'This survey is not open yet',
      text: 'It has not started taking answers. Please come back later.',
    },
    closed: {
      title: 'This survey is closed',
      text: 'It is not taking answers at the moment. Thank you for your interest.',
    },
    too_large: {
      title: 'Your answers are too long',
      text: 'They exceed the size that can be sent, so nothing has been sent yet. Please go back, shorten them and send again.',
    },
    too_many: {
      title: 'One moment, please',
      text: 'There are too many visits right now. If you have just sent answers, they were not recorded: please go back and send them again in a moment.',
    },
    unreadable: {
      title: 'Your answers could not be read',
      text: 'What was sent is not in a format that we understand, so nothing was recorded. Please go back and send it again.',
    },
    unavailable: {
      title: 'Temporarily unavailable',
      text: 'The service is busy. If you have just sent answers, they were not recorded: please go back and send them again in a moment.',
    },
    failed: {
      title: 'Something went wrong',
      text: 'Sorry, there was an error on our side. Please try again in a few minutes.',
    },
  },
};

export const PAGE_TEXTS: Readonly<Record<Language, PageTexts>> = { vi, en };
