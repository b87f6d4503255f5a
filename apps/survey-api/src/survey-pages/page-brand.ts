import type { LinkedSurvey } from './linked-survey.read-model';

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
export const MIN_CONTRAST = 4.5;

export const WHITE = '#ffffff';

/**
 * Contrast by WCAG 2.2, from 1 to 21.
 * @param left `#rrggbb`
 * @param right `#rrggbb`
 */
export function contrastOf(left: string, right: string): number {
  const [darker, lighter] = [luminanceOf(left), luminanceOf(right)].sort((a, b) => a - b) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

/** @param share of the second colour, from 0 to 1 */
export function mixOf(first: string, second: string, share: number): string {
  const others = channelsOf(second);
  const mixed = channelsOf(first).map((value, index) => value + (others[index]! - value) * share);
  return `#${mixed.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`;
}

/** Lightens a colour until it is readable on a dark ground. */
export function readableOn(ground: string, color: string): string {
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
