import type { VNode } from 'preact';
import { unifyLineBreaks } from './form-field';

export interface TileOption {
  readonly value: string;
  readonly title: string;
}

interface TilesProps {
  readonly name: string;
  readonly firstId: string | undefined;
  readonly options: readonly TileOption[];
  readonly className: string;
  readonly chosen: readonly string[];
}

/** Options side by side, one of which can be chosen. */
export function Tiles({ name, firstId, options, className, chosen }: TilesProps): VNode {
  const isChosen = choiceOf(chosen);
  return (
    <div class={className}>
      {options.map(({ value, title }, index) => (
        <label class="tile" key={value}>
          <input
            type="radio"
            id={index === 0 ? firstId : undefined}
            name={name}
            value={value}
            checked={isChosen(value)}
          />
          <span dir="auto">{title}</span>
        </label>
      ))}
    </div>
  );
}

/** Whether a value was sent. Line breaks in a value are changed on their way through a form. */
export function choiceOf(sent: readonly string[]): (value: string) => boolean {
  if (sent.length === 0) return () => false;
  const values = new Set(sent.map(unifyLineBreaks));
  return (value) => values.has(unifyLineBreaks(value));
}

/** As many points fit into one line of a phone. */
const MAX_LINE_POINTS = 7;

/** Words are set in even lines on a phone: four in two lines of two, five below each other. */
export function tilesClass(titles: readonly string[]): string {
  if (titles.every(isShort)) return titles.length <= MAX_LINE_POINTS ? 'tiles line' : 'tiles';
  const longest = Math.max(...titles.map((title) => title.length));
  if (titles.length % 3 === 0 && longest <= 12) return 'tiles words across-3';
  return titles.length % 2 === 0 && longest <= 24 ? 'tiles words across-2' : 'tiles words';
}

/** Longer titles are words, which need a line of their own. */
const MAX_TILE_CHARACTERS = 3;

export function isShort(title: string): boolean {
  // A family of faces is one of them, and up to eleven code units.
  return title.length <= 16 && [...graphemes.segment(title)].length <= MAX_TILE_CHARACTERS;
}

const graphemes = new Intl.Segmenter('vi', { granularity: 'grapheme' });
