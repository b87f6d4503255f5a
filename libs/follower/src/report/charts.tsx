import type { ComponentChildren, JSX } from 'preact';
import { counted } from './report-values';

const WIDTH = 460;
/** Of a character, on a phone. */
const LETTER_WIDTH = 8.7;

/** `late` has the accent. */
type Kind = 'met' | 'late' | 'none';

export interface Bar {
  /** Below the bar; the second line is smaller. */
  readonly label: string;
  readonly note?: string;
  readonly parts: readonly (readonly [Kind, number])[];
}

interface ChartProps {
  readonly title: string;
  readonly sentence: ComponentChildren;
  readonly head: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  readonly children: ComponentChildren;
}

/** A chart with its table, which screen readers read in its place. */
export function Chart({ title, sentence, head, rows, children }: ChartProps): JSX.Element {
  return (
    <figure>
      <figcaption>
        <h3>{title}</h3>
        <p>{sentence}</p>
      </figcaption>
      {children}
      <div class="spoken">
        <table>
          <caption>{title}</caption>
          <tr>
            {head.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
          {rows.map(([first, ...values]) => (
            <tr>
              <th scope="row">{first}</th>
              {values.map((value) => (
                <td>{value}</td>
              ))}
            </tr>
          ))}
        </table>
      </div>
    </figure>
  );
}

interface BarsProps {
  readonly bars: readonly Bar[];
  readonly height?: number;
}

const sum = ({ parts }: Bar) => parts.reduce((total, [, value]) => total + value, 0);

/** Bars of stacked parts, each with its number above and its label below; of many bars some are labelled. */
export function Bars({ bars, height = 150 }: BarsProps): JSX.Element {
  const hasNotes = bars.some(({ note }) => note !== undefined);
  const [top, bottom] = [18, hasNotes ? 40 : 22];
  const step = WIDTH / Math.max(bars.length, 4);
  const scale = height / Math.max(1, ...bars.map(sum));
  const longest = Math.max(...bars.map((bar) => Math.max(bar.label.length, counted(sum(bar)).length)));
  const every = Math.ceil((longest * LETTER_WIDTH + 4) / step);
  const base = top + height;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${base + bottom}`} aria-hidden="true">
      {bars.map((bar, place) => {
        const [middle, thickness] = [step * (place + 0.5), Math.min(step * 0.72, 60)];
        let y = base;
        const rects = bar.parts.map(([kind, value]) => {
          y -= value * scale;
          return (
            value > 0 && (
              <rect
                class={kind}
                x={round(middle - thickness / 2)}
                y={round(y)}
                width={round(thickness)}
                height={round(value * scale)}
              />
            )
          );
        });
        return (
          <>
            {rects}
            {place % every === 0 && (
              <>
                <text class="value" x={round(middle)} y={round(y - 5)}>
                  {counted(sum(bar))}
                </text>
                <text x={round(middle)} y={base + 16}>
                  {bar.label}
                </text>
                {bar.note !== undefined && (
                  <text class="value" x={round(middle)} y={base + 34}>
                    {bar.note}
                  </text>
                )}
              </>
            )}
          </>
        );
      })}
      <line class="base" x1="0" x2={WIDTH} y1={base} y2={base} />
    </svg>
  );
}

interface LyingBarsProps {
  readonly bars: readonly { readonly label: string; readonly value: number; readonly kind: Kind }[];
  /** A line before the bar at this place. */
  readonly line: { readonly before: number; readonly label: string };
}

/** Bars from left to right, each with its label before and its number behind: labels of any length fit. */
export function LyingBars({ bars, line }: LyingBarsProps): JSX.Element {
  const [left, tall, gap] = [104, 20, 18];
  const scale = (WIDTH - left - 70) / Math.max(1, ...bars.map(({ value }) => value));
  const yOf = (place: number) => place * tall + (place >= line.before ? gap : 0);
  const lineAt = line.before * tall + gap / 2;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${yOf(bars.length)}`} aria-hidden="true">
      {bars.map(({ label, value, kind }, place) => (
        <>
          <text class="end" x={left - 8} y={yOf(place) + 15}>
            {label}
          </text>
          <rect class={kind} x={left} y={yOf(place) + 2} width={round(value * scale)} height={tall - 4} />
          <text class="value start" x={round(left + value * scale + 6)} y={yOf(place) + 15}>
            {counted(value)}
          </text>
        </>
      ))}
      <line class="target" x1="0" x2={WIDTH - LETTER_WIDTH * line.label.length} y1={lineAt} y2={lineAt} />
      <text class="value end" x={WIDTH} y={lineAt + 5}>
        {line.label}
      </text>
    </svg>
  );
}

const round = (value: number) => Math.round(value * 100) / 100;

interface HeatProps {
  readonly rows: readonly string[];
  /** The first column and how many there are. */
  readonly from: number;
  readonly columns: number;
  readonly valueAt: (row: number, column: number) => number;
  readonly isLate?: boolean;
}

/** Cells of rows and hours; the more, the darker. */
export function Heat({ rows, from, columns, valueAt, isLate = false }: HeatProps): JSX.Element {
  const [left, size, tall] = [40, (WIDTH - 40) / columns, 22];
  const all = rows.flatMap((_, row) =>
    Array.from({ length: columns }, (_each, column) => valueAt(row, from + column)),
  );
  const most = Math.max(1, ...all);
  const isNumbered = String(most).length * LETTER_WIDTH <= size;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${tall * rows.length + 40}`} aria-hidden="true">
      {rows.map((name, row) => (
        <>
          <text class="start" x="0" y={row * tall + 16}>
            {name}
          </text>
          {Array.from({ length: columns }, (_, column) => {
            const value = valueAt(row, from + column);
            const x = left + column * size;
            return (
              <>
                <rect
                  class={value === 0 ? 'empty' : isLate ? 'late' : 'met'}
                  x={round(x + 0.75)}
                  y={row * tall + 0.75}
                  width={round(size - 1.5)}
                  height={tall - 1.5}
                  rx="2"
                  fill-opacity={value === 0 ? 1 : round(0.18 + (0.82 * value) / most)}
                />
                {value > 0 && isNumbered && (
                  <text
                    class={value / most > 0.66 ? 'in dark' : 'in'}
                    x={round(x + size / 2)}
                    y={row * tall + 16}
                  >
                    {String(value)}
                  </text>
                )}
              </>
            );
          })}
        </>
      ))}
      {Array.from({ length: columns }, (_, column) => (
        <text x={round(left + (column + 0.5) * size)} y={tall * rows.length + 17}>
          {columns <= 14 || column % 2 === 0 ? String(from + column) : ''}
        </text>
      ))}
      <text x={round((WIDTH + left) / 2)} y={tall * rows.length + 36}>
        Hour of the day
      </text>
    </svg>
  );
}
