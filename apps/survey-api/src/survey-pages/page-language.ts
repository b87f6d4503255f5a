import type { FastifyRequest } from 'fastify';

export const LANGUAGES = ['vi', 'en'] as const;
export type Language = (typeof LANGUAGES)[number];

/** `?lang=`, then `Accept-Language` (RFC 9110, 12.5.4), then Vietnamese. */
export function languageOf({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): Language {
  const { lang } = (query ?? {}) as { lang?: unknown };
  return (
    LANGUAGES.find((language) => language === lang) ?? accepted(headers['accept-language'] ?? '') ?? 'vi'
  );
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
