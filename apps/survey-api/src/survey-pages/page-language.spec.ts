import { languageOf } from './page-texts';

it.each<[lang: unknown, accepted: string | undefined, language: string]>([
  [undefined, undefined, 'vi'],
  [undefined, '', 'vi'],
  [undefined, '*', 'vi'],
  [undefined, 'en', 'en'],
  [undefined, 'EN-gb', 'en'],
  [undefined, 'vi-VN, en;q=0.9', 'vi'],
  [undefined, 'en;q=0.4, vi;q=0.5', 'vi'],
  [undefined, 'vi;q=0, en;q=0.1', 'en'],
  [undefined, 'vi;q=0', 'vi'],
  [undefined, 'en;q=nonsense', 'vi'],
  [undefined, 'fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'en'],
  [undefined, ',;=,q=', 'vi'],
  ['en', 'vi', 'en'],
  ['vi', 'en', 'vi'],
  ['EN', 'vi', 'vi'],
  ['fr', 'en', 'en'],
  [['en', 'vi'], 'vi', 'vi'],
  ['__proto__', undefined, 'vi'],
])('lang %p and Accept-Language %p are %s', (lang, accepted, language) => {
  expect(languageOf({ query: { lang }, headers: { 'accept-language': accepted } })).toBe(language);
});
