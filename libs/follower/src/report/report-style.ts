import { EXPLANATION_STYLE } from './explanation';

/** Ink and greys; the accent says what was late or got worse, and nothing else. */
export const REPORT_STYLE = `
:root { color-scheme: light dark;
  --ground: light-dark(#f4f4f1, #15171a); --card: light-dark(#fff, #1e2125); --text: light-dark(#1d2127, #e9ebee);
  --muted: light-dark(#59616b, #a7aeb7); --line: light-dark(#dddfdb, #343940); --ink: light-dark(#7d8894, #7f8a96);
  --accent: light-dark(#b8410b, #ff9457); --none: light-dark(#d9dcdf, #3d434a); --counted: var(--accent);
  --holiday: light-dark(#76828e, #7d8a96); --holiday-ground: light-dark(#fff, #1e2125);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 66rem; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
h1 { margin: 0 0 .4rem; max-width: 30em; font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.2rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: 0; }
small, .meta, figcaption p, .lead { color: var(--muted); font-size: .875rem; }
.lead { margin: -.5rem 0 .75rem; max-width: 46rem; }
.accent, b.late { color: var(--accent); }
dl.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr)); gap: .75rem; margin: 1.5rem 0 0; }
.tiles > div, figure, .card { margin: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); break-inside: avoid; }
.tiles > div { display: flex; flex-direction: column; }
.tiles dt { font-size: .875rem; font-weight: 600; line-height: 1.35; margin-bottom: .15rem; }
.tiles dd { margin: 0; font-size: .875rem; color: var(--muted); }
.whole { white-space: nowrap; }
.tiles dd.now { color: var(--text); order: -1; font-size: 1.6rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); gap: .75rem; }
.charts .wide { grid-column: 1 / -1; }
figure svg { display: block; width: 100%; margin-top: .75rem; overflow: visible; print-color-adjust: exact; }
svg text { fill: var(--muted); font-size: 12px; text-anchor: middle; font-variant-numeric: tabular-nums; }
svg text.value { fill: var(--text); font-weight: 600; }
svg text.start { text-anchor: start; }
svg text.in { fill: var(--text); font-size: 11px; }
svg text.dark { fill: light-dark(var(--text), #15171a); } svg .late + text.dark { fill: light-dark(#fff, #15171a); }
svg .met { fill: var(--ink); } svg .late { fill: var(--accent); } svg .none { fill: var(--none); } svg .empty { fill: var(--ground); }
svg .base { stroke: var(--muted); } svg line.target { stroke: var(--text); stroke-dasharray: 3 3; } svg text.target { fill: var(--text); font-weight: 600; }
.key { padding: 0 .35em; border-radius: .25em; print-color-adjust: exact; }
.key.met { background: var(--ink); color: light-dark(#111, #111); } .key.late { background: var(--accent); color: light-dark(#fff, #15171a); } .key.none { background: var(--none); color: var(--text); }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); }
.scroll table { width: 100%; border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
.scroll th, .scroll td { padding: .4rem .6rem; text-align: right; white-space: nowrap; font-weight: 400; }
.scroll th { color: var(--muted); } .scroll th[scope=row] { color: var(--text); white-space: normal; min-width: 7rem; }
.scroll th:first-child, .scroll caption { text-align: left; }
tbody tr { border-top: 1px solid var(--line); }
.scroll tr { break-inside: avoid; }
.scroll td.late { color: var(--accent); font-weight: 600; }
ol.waits { display: grid; gap: .75rem; margin: 0; padding: 0; list-style: none; }
.waits .card > p:first-child { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-size: 1.05rem; }
.waits code { display: inline-block; padding: .05rem .4rem; border-radius: .25rem; background: var(--ground); font-size: .8125rem; }
.counts { columns: 22rem; column-gap: 2rem; margin: 0; font-size: .8125rem; color: var(--muted); }
.counts div { margin-bottom: .4rem; break-inside: avoid; } .counts dt { color: var(--text); font-weight: 600; } .counts dd { margin: 0; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
${EXPLANATION_STYLE}
.waits .lane { grid-template-columns: 1fr; } .waits .lane h3, .waits .lane span { display: none; } .waits .lane p { grid-column: 1; }
.swatch { display: inline-block; width: 1.5rem; height: .75rem; border-radius: .2rem; vertical-align: -.05rem; print-color-adjust: exact; }
.campaign { margin-bottom: 1.25rem; } .campaign-name { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; margin-bottom: .5rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 35rem) { body { padding: 1rem .75rem 2rem; } h1 { font-size: 1.4rem; } dl.tiles { grid-template-columns: 1fr 1fr; gap: .5rem; } .tiles > div { padding: .6rem .7rem; } .tiles dd.now { font-size: 1.3rem; } svg text { font-size: 14px; } svg text.in { display: none; } }
@media print { @page { size: A4; margin: 12mm; } :root { color-scheme: light; font-size: 12px; } body { padding: 0; max-width: none; background: none; }
  .charts { grid-template-columns: 1fr 1fr; } dl.tiles { grid-template-columns: repeat(5, 1fr); } h2 { break-after: avoid; } .scroll { overflow: visible; } }
`;
