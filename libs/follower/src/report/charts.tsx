import type { ComponentChildren, JSX } from 'preact';

const WIDTH = 460;
/** A label below a bar needs about as much. */
const LABEL_WIDTH = 40;

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
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}

/** A chart with its table, which screen readers read in its place. */
export function Chart({ title, sentence, head, rows, isWide, children }: ChartProps): JSX.Element {
  return (
    <figure class={isWide ? 'wide' : undefined}>
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
  readonly width?: number;
  readonly height?: number;
  /** A line before the bar at this place. */
  readonly line?: { readonly before: number; readonly label: string };
}

const sum = ({ parts }: Bar) => parts.reduce((total, [, value]) => total + value, 0);

/** Bars of stacked parts, each with its number above and its label below; of many bars some are labelled. */
export function Bars({ bars, width = WIDTH, height = 150, line }: BarsProps): JSX.Element {
  const hasNotes = bars.some(({ note }) => note !== undefined);
  const [top, bottom] = [line ? 34 : 18, hasNotes ? 36 : 20];
  const step = width / Math.max(bars.length, 4);
  const scale = height / Math.max(1, ...bars.map(sum));
  const every = Math.ceil(LABEL_WIDTH / step);
  const base = top + height;
  return (
    <svg viewBox={`0 0 ${width} ${base + bottom}`} aria-hidden="true">
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
        const isLabelled = place % every === 0;
        return (
          <>
            {rects}
            {isLabelled && (
              <>
                <text class="value" x={round(middle)} y={round(y - 5)}>
                  {String(sum(bar))}
                </text>
                <text x={round(middle)} y={base + 15}>
                  {bar.label}
                </text>
                {bar.note !== undefined && (
                  <text class="value" x={round(middle)} y={base + 31}>
                    {bar.note}
                  </text>
                )}
              </>
            )}
          </>
        );
      })}
      <line class="base" x1="0" x2={width} y1={base} y2={base} />
      {line && (
        <>
          <line
            class="target"
            x1={round(step * line.before)}
            x2={round(step * line.before)}
            y1="14"
            y2={base + 18}
          />
          <text
            class="target"
            x={round(step * line.before)}
            y="10"
            style={{ textAnchor: line.before > bars.length / 2 ? 'end' : 'middle' }}
          >
            {line.label}
          </text>
        </>
      )}
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
  const [left, size, tall] = [34, (WIDTH - 34) / columns, 22];
  const all = rows.flatMap((_, row) =>
    Array.from({ length: columns }, (_each, column) => valueAt(row, column)),
  );
  const most = Math.max(1, ...all);
  return (
    <svg class="heat" viewBox={`0 0 ${WIDTH} ${tall * rows.length + 20}`} aria-hidden="true">
      {rows.map((name, row) => (
        <>
          <text class="start" x="0" y={row * tall + 15}>
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
                {value > 0 && (
                  <text
                    class={value / most > 0.7 ? 'in dark' : 'in'}
                    x={round(x + size / 2)}
                    y={row * tall + 15}
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
        <text x={round(left + (column + 0.5) * size)} y={tall * rows.length + 15}>
          {columns <= 14 || column % 2 === 0 ? String(from + column) : ''}
        </text>
      ))}
    </svg>
  );
}
