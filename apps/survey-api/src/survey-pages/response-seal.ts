import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SigningKey } from '@cxp/service-kit';
import { SurveySettings } from '../settings';

const SEALED =
  /^(([0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12})\.([0-9a-z]{1,9}))\.([A-Za-z0-9._-]+)\.([A-Za-z0-9_-]{43})$/;

/** A response that is not stored: a page was made for it. */
export interface OpenedResponse {
  readonly identifier: string;
  /** When the page was made. */
  readonly openedAt: Date;
}

/**
 * Makes response ids that only the page of one link accepts: `<uuid>.<time of the page>.<key id>.<HMAC-SHA-256>`. The first key
 * seals, each of them opens, so that keys can be replaced while pages are open.
 */
@Injectable()
export class ResponseSeal {
  private readonly keys: readonly SigningKey[];

  constructor({ SURVEY_PAGE_KEYS = [] }: SurveySettings) {
    this.keys = SURVEY_PAGE_KEYS;
  }

  /** A new response id, sealed for a link and the present time. */
  create(publicId: string): string {
    const [key] = this.keys;
    const opened = `${randomUUID()}.${Date.now().toString(36)}`;
    return `${opened}.${key!.id}.${mac(key!, publicId, opened)}`;
  }

  /** @returns undefined when it is not an id that was sealed for this link */
  open(publicId: string, sealed: unknown): OpenedResponse | undefined {
    const [, opened, identifier, time, keyId, seal] =
      (typeof sealed === 'string' && SEALED.exec(sealed)) || [];
    const key = this.keys.find(({ id }) => id === keyId);
    if (!opened || !identifier || !time || !seal || !key) return undefined;
    // The texts are compared: several of them stand for the same bytes.
    const isSealed = timingSafeEqual(Buffer.from(seal), Buffer.from(mac(key, publicId, opened)));
    return isSealed ? { identifier, openedAt: new Date(Number.parseInt(time, 36)) } : undefined;
  }
}

function mac(key: SigningKey, publicId: string, opened: string): string {
  const signed = `survey-response\n${publicId}\n${opened}`;
  return createHmac('sha256', key.secret).update(signed).digest('base64url');
}
