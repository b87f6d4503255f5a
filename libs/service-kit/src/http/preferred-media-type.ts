import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';

/**
 * Chooses what to send by the request's `Accept` header. What a client takes equally gladly is decided by the order of
 * the offers; one that takes none of them gets the first all the same.
 * @param offers media types, with parameters where they matter: `text/csv; charset=utf-8`
 */
export function preferredMediaType<Offer extends string>(
  { headers }: Pick<FastifyRequest, 'headers'>,
  offers: readonly [Offer, ...Offer[]],
): Offer {
  const [preferred] = new Negotiator({ headers: { accept: headers.accept } }).mediaTypes([...offers]);
  return (preferred as Offer | undefined) ?? offers[0];
}
