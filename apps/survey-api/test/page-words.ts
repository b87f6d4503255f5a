/** What the pages say, by their language. */
export const WORDS = {
  vi: { send: 'Gửi câu trả lời', thanks: 'Cảm ơn bạn!', error: 'Vui lòng kiểm tra lại', clear: 'Bỏ chọn' },
  en: { send: 'Send answers', thanks: 'Thank you!', error: 'Please check your answers', clear: 'Clear' },
};
export type Language = keyof typeof WORDS;
