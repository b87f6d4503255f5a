import type { BrandData } from '@cxp/platform-records';
import type { InvalidItem } from '@cxp/error-envelopes';
import { contrastOf, MIN_CONTRAST, WHITE } from './colors';
import { readLogo, type Logo } from './logo';

/** How an organization shows itself on its survey pages. */
export interface Brand {
  readonly name: string;
  /** `#rrggbb`, in lower case. */
  readonly color: string;
  readonly logo: Logo | null;
}

/** @returns the brand, or what is wrong with it; the `loc` of items starts at the record's data */
export function readBrand({ name, color: sent, logo: source = null }: BrandData): Brand | InvalidItem[] {
  const color = sent.toLowerCase();
  // The colour is the background of white text, and that of text on white.
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
