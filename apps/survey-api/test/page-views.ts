import type { BrowserContextOptions } from 'playwright-core';
import type { Language } from './page-words';

export const PHONE = { width: 375, height: 812 };
export const DESK = { width: 1280, height: 900 };

/** As whom and on what a survey page is tried. */
export const VIEWS: [what: string, language: Language, options: BrowserContextOptions][] = [
  ['a phone, in Vietnamese', 'vi', { viewport: PHONE, hasTouch: true, colorScheme: 'light' }],
  ['a phone, in English and dark', 'en', { viewport: PHONE, colorScheme: 'dark' }],
  ['a phone without JavaScript, in English', 'en', { viewport: PHONE, javaScriptEnabled: false }],
  ['a desk, in Vietnamese', 'vi', { viewport: DESK, colorScheme: 'light' }],
  ['a desk, in English and dark', 'en', { viewport: DESK, colorScheme: 'dark' }],
  ['a desk without JavaScript, in Vietnamese', 'vi', { viewport: DESK, javaScriptEnabled: false }],
];
