import type { FastifyRequest } from 'fastify';

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** From 0 (not acceptable) to 1. */
  readonly quality: number;
}

/** A header of 16 KiB has thousands of ranges, which would cost more than the rest of a call; no real client has 100. */
const MAX_RANGES = 100;

/**
 * Chooses by the `Accept` header (RFC 9110, 12.5.1). Equal preference chooses the first offer; so does a header that accepts
 * none.
 * @param offers media types, with parameters where they matter: `text/csv; charset=utf-8`
 */
export function preferredMediaType<Offer extends string>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const ranges = (headers.accept ?? '*/*').split(',', MAX_RANGES).map(parseRange);
  let [preferred] = offers;
  let best = 0;
  for (const offer of offers) {
    const quality = qualityOf(parseRange(offer), ranges);
    if (quality > best) [preferred, best] = [offer, quality];
  }
  return preferred;
}

function qualityOf(offer: MediaRange, ranges: readonly MediaRange[]): number {
  let quality = 0;
  let specificity = -1;
  for (const range of ranges) {
    const specific = specificityOf(range, offer);
    if (specific > specificity) [specificity, quality] = [specific, range.quality];
  }
  return quality;
}

/** @returns -1 when the offer is not in the range */
function specificityOf(range: MediaRange, offer: MediaRange): number {
  const [kind] = offer.type.split('/', 1);
  const byType = ['*/*', `${kind}/*`, offer.type].indexOf(range.type);
  // JSON and similar types have no charset: they are UTF-8.
  const parameters = new Map([['charset', 'utf-8'], ...offer.parameters]);
  const fits = [...range.parameters].every(([name, value]) => parameters.get(name) === value);
  return byType >= 0 && fits ? byType + range.parameters.size : -1;
}

function parseRange(text: string): MediaRange {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const pairs = rest.map((parameter): [string, string] => {
    const [name = '', value = ''] = parameter.split('=').map((part) => part.trim());
    return [name, value.replace(/^"(.*)"$/, '$1')];
  });
  const quality = Number(pairs.find(([name]) => name === 'q')?.[1] ?? 1);
  return {
    type,
    parameters: new Map(pairs.filter(([name]) => name !== 'q' && name !== '')),
    quality: Number.isNaN(quality) ? 0 : quality,
  };
}
