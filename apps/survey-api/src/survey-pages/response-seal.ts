import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SigningKey } from '@cxp/service-kit';
import { SurveySettings } from '../settings';

const SEALED =
  /^([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.([A-Za-z0-9._-]+)\.([A-Za-z0-9_-]{43})$/;

/**
 * Makes response ids that only the page of one link accepts: `<uuid>.<key id>.<HMAC-SHA-256>`. The first key seals, each of
 * them opens, so that keys can be replaced while pages are open.
 */
@Injectable()
export class ResponseSeal {
  private readonly keys: readonly SigningKey[];

  constructor({ SURVEY_PAGE_KEYS = [] }: SurveySettings) {
    this.keys = SURVEY_PAGE_KEYS;
  }

  /** A new response id, sealed for a link. */
  create(publicId: string): string {
    const [key] = this.keys;
    const identifier = randomUUID();
    return `${identifier}.${key!.id}.${mac(key!, publicId, identifier)}`;
  }

  /** @returns the response id; undefined when it is not one that was sealed for this link */
  open(publicId: string, sealed: unknown): string | undefined {
    const [, identifier, keyId, seal] = (typeof sealed === 'string' && SEALED.exec(sealed)) || [];
    const key = this.keys.find(({ id }) => id === keyId);
    if (!identifier || !seal || !key) return undefined;
    // The texts are compared: several of them stand for the same bytes.
    const isSealed = timingSafeEqual(Buffer.from(seal), Buffer.from(mac(key, publicId, identifier)));
    return isSealed ? identifier : undefined;
  }
}

function mac(key: SigningKey, publicId: string, identifier: string): string {
  const signed = `survey-response\n${publicId}\n${identifier}`;
  return createHmac('sha256', key.secret).update(signed).digest('base64url');
}
