import { isUtf8 } from 'node:buffer';
import type { BrandData } from '@cxp/records';
import type { InvalidItem } from '@cxp/error-envelopes';
import { isVisibleText } from '@cxp/identifiers';
import type { Brand, Logo } from '../organization-settings/organization-settings.repository';
import type { LinkedSurvey } from './linked-survey.read-model';

/** @returns the brand or its problems, whose `loc` starts at the record's data */
export function readBrand({ name, color: sent, logo: source = null }: BrandData): Brand | InvalidItem[] {
  const color = sent.toLowerCase();
  // White text has this background, and text of this colour a white one.
  const contrast = contrastOf(color, WHITE);
  const logo = source === null ? null : readLogo(source);
  const items: InvalidItem[] = [];
  if (!isVisibleText(name)) {
    const msg = 'String should have at least 1 character that can be seen';
    items.push({ loc: ['brand', 'name'], msg, type: 'string_too_short' });
  }
  if (contrast < MIN_CONTRAST) {
    // Rounded down, so that 4.49 is not reported as 4.5.
    const found = Math.floor(contrast * 10) / 10;
    const msg = `Input should have a contrast of at least ${MIN_CONTRAST} to white, and has ${found.toFixed(1)}`;
    items.push({ loc: ['brand', 'color'], msg, type: 'contrast_too_low' });
  }
  if (typeof logo === 'string') items.push({ loc: ['brand', 'logo'], msg: logo, type: 'logo_invalid' });
  return items.length > 0 || typeof logo === 'string' ? items : { name, color, logo };
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

export interface PageBrand {
  readonly name: string;
  readonly style: string;
  readonly logoUrl: string | undefined;
}

/** The card and ink colours of the dark style. */
const [CARD, INK] = ['#18201d', '#0b0f0d'];
const BLACK = '#000000';

export function pageBrand(
  { brandName: name, brandColor: color, hasLogo }: LinkedSurvey,
  pageUrl: string,
): PageBrand | undefined {
  if (name === null || color === null) return undefined;
  const bright = readableOn(CARD, color);
  const light = {
    band: color,
    'on-band': WHITE,
    accent: color,
    'accent-strong': mixOf(color, BLACK, 0.2),
    'on-accent': WHITE,
    tint: mixOf(WHITE, color, 0.1),
  };
  const dark = {
    accent: bright,
    'accent-strong': mixOf(bright, WHITE, 0.2),
    'on-accent': INK,
    tint: mixOf(CARD, bright, 0.2),
  };
  const style = `${ruleOf(light)}@media(prefers-color-scheme:dark){${ruleOf(dark)}}`;
  return { name, style, logoUrl: hasLogo ? `${pageUrl}/logo` : undefined };
}

function ruleOf(properties: Readonly<Record<string, string>>): string {
  const declared = Object.entries(properties).map(([name, value]) => `--${name}:${value}`);
  return `:root{${declared.join(';')}}`;
}

/** The least contrast of text in WCAG 2.2 AA. */
const MIN_CONTRAST = 4.5;

const WHITE = '#ffffff';

/**
 * Contrast by WCAG 2.2, from 1 to 21.
 * @param left `#rrggbb`
 * @param right `#rrggbb`
 */
function contrastOf(left: string, right: string): number {
  const [darker, lighter] = [luminanceOf(left), luminanceOf(right)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** @param share of the second colour, from 0 to 1 */
function mixOf(first: string, second: string, share: number): string {
  const others = channelsOf(second);
  const mixed = channelsOf(first).map((value, index) => value + (others[index]! - value) * share);
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

/** Lightens a colour until it is readable on a dark ground. */
function readableOn(ground: string, color: string): string {
  const shares = Array.from({ length: 20 }, (_, index) => index / 20);
  const lighter = shares.map((share) => mixOf(color, WHITE, share));
  return lighter.find((one) => contrastOf(one, ground) >= MIN_CONTRAST) ?? WHITE;
}

function luminanceOf(color: string): number {
  const [red, green, blue] = channelsOf(color).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(color: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(color.slice(start, start + 2), 16));
}
