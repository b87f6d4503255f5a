import { isUtf8 } from 'node:buffer';
import type { BrandData } from '@cxp/records';
import type { InvalidItem } from '@cxp/error-envelopes';
import { Injectable } from '@nestjs/common';
import { withRepository } from '@cxp/storage';
import { EntityManager } from 'typeorm';
import { StoredSettings } from '../database';
import { contrastOf, MIN_CONTRAST, WHITE } from './page-brand';

export interface Brand {
  readonly name: string;
  /** `#rrggbb` in lower case. */
  readonly color: string;
  readonly logo: Logo | null;
}

/** @returns the brand or its problems, whose `loc` starts at the record's data */
export function readBrand({ name, color: sent, logo: source = null }: BrandData): Brand | InvalidItem[] {
  const color = sent.toLowerCase();
  // White text has this background, and text of this colour a white one.
  const contrast = contrastOf(color, WHITE);
  const logo = source === null ? null : readLogo(source);
  const items: InvalidItem[] = [];
  if (contrast < MIN_CONTRAST) {
    // Rounded down, so that 4.49 is not reported as 4.5.
    const found = Math.floor(contrast * 10) / 10;
    const msg = `Input should have a contrast of at least ${MIN_CONTRAST} to white, and has ${found.toFixed(1)}`;
    items.push({ loc: ['brand', 'color'], msg, type: 'contrast_too_low' });
  }
  if (typeof logo === 'string') items.push({ loc: ['brand', 'logo'], msg: logo, type: 'logo_invalid' });
  return items.length > 0 || typeof logo === 'string' ? items : { name, color, logo };
}

export interface Logo {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
}

const MAX_LOGO_BYTES = 20_000;

/** A small file can hold a picture that takes gigabytes when shown. */
const MAX_PNG_SIDE = 2_048;

const DATA_URI = /^data:(image\/png|image\/svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

/** @returns a picture, or the problem */
export function readLogo(source: string): Logo | string {
  const [, type, encoded] = DATA_URI.exec(source) ?? [];
  if (encoded === undefined) return 'Input should be a data URI of image/png or image/svg+xml in base64';
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) return `Input should have at most ${MAX_LOGO_BYTES} bytes`;
  if (type === 'image/png') {
    return isPng(bytes)
      ? { type, bytes }
      : `Input should be a PNG file of at most ${MAX_PNG_SIDE} pixels a side`;
  }
  // Shown only as a picture, under a policy that runs and loads nothing.
  return isUtf8(bytes) && /<svg[\s>]/.test(bytes.toString())
    ? { type: 'image/svg+xml', bytes }
    : 'Input should be an SVG file in UTF-8';
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const HEADER_END = 33;

/** Checks the header only: browsers show nothing for a broken file. */
function isPng(bytes: Buffer): boolean {
  if (bytes.length < HEADER_END || !bytes.subarray(0, 8).equals(SIGNATURE)) return false;
  const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  return (
    bytes.toString('latin1', 12, 16) === 'IHDR' && sides.every((side) => side > 0 && side <= MAX_PNG_SIDE)
  );
}

export interface OrganizationSettings {
  /** null means the platform's default. */
  readonly maxLinks: number | null;
  readonly brand: Brand | null;
}

@Injectable()
export class OrganizationSettingsRepository {
  constructor(private readonly manager: EntityManager) {}

  async store(organizationId: string, { maxLinks, brand }: OrganizationSettings): Promise<void> {
    const { type = null, bytes = null } = brand?.logo ?? {};
    const settings = {
      organizationId,
      maxLinks,
      brandName: brand?.name ?? null,
      brandColor: brand?.color ?? null,
      logoType: type,
      logo: bytes,
    };
    await withRepository(StoredSettings, this.manager, organizationId, (stored) =>
      stored.upsert(settings, ['organizationId']),
    );
  }
}
