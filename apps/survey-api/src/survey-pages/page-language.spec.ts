import { chosenLanguage } from './page-texts';

it.each<[lang: unknown, accepted: string | undefined, language: string | undefined]>([
  [undefined, undefined, undefined],
  [undefined, '', undefined],
  [undefined, '*', undefined],
  [undefined, 'en', 'en'],
  [undefined, 'EN-gb', 'en'],
  [undefined, 'vi-VN, en;q=0.9', 'vi'],
  [undefined, 'en;q=0.4, vi;q=0.5', 'vi'],
  [undefined, 'vi;q=0, en;q=0.1', 'en'],
  [undefined, 'vi;q=0', undefined],
  [undefined, 'en;q=nonsense', undefined],
  [undefined, 'fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'en'],
  [undefined, ',;=,q=', undefined],
  ['en', 'vi', 'en'],
  ['vi', 'en', 'vi'],
  ['EN', 'vi', 'vi'],
  ['fr', 'en', 'en'],
  [['en', 'vi'], 'vi', 'vi'],
  ['__proto__', undefined, undefined],
])('lang %p and Accept-Language %p are %s', (lang, accepted, language) => {
  expect(chosenLanguage({ query: { lang }, headers: { 'accept-language': accepted } })).toBe(language);
});
