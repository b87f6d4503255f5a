import { mixOf, readableOn, WHITE } from '../brand/colors';
import type { LinkedSurvey } from './linked-survey.read-model';

/** What a page shows of the organization. */
export interface PageBrand {
  readonly name: string;
  /** The custom properties of the style of the pages that the colour replaces. */
  readonly style: string;
  readonly logoUrl: string | undefined;
}

/** The card and the ink of the style of the pages, for a dark screen. */
const [CARD, INK] = ['#18201d', '#0b0f0d'];
const BLACK = '#000000';

/** @param pageUrl of the survey */
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
