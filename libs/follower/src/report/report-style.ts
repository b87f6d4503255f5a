import { EXPLANATION_STYLE } from './explanation';

/** Ink and greys; the accent says what was late or got worse, and nothing else. */
export const REPORT_STYLE = `
:root { color-scheme: light dark;
  --ground: light-dark(#f4f4f1, #15171a); --card: light-dark(#fff, #1e2125); --text: light-dark(#1d2127, #e9ebee);
  --muted: light-dark(#59616b, #a7aeb7); --line: light-dark(#dddfdb, #343940); --ink: light-dark(#97a3af, #5c6772);
  --accent: light-dark(#a53808, #ff9457); --counted: var(--accent);
  --holiday: light-dark(#76828e, #7d8a96); --holiday-ground: light-dark(#fff, #1e2125);
  font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif; }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 3rem; max-width: 66rem; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
h1 { margin: 0 0 .4rem; max-width: 30em; font-size: 1.75rem; line-height: 1.25; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 2.25rem 0 .75rem; font-size: 1.2rem; }
h3 { margin: 0; font-size: 1rem; }
p { margin: 0; }
small, .meta, figcaption p, .lead, details { color: var(--muted); font-size: .875rem; }
.lead { margin: -.5rem 0 .75rem; max-width: 50rem; break-after: avoid; }
header .clock { margin-bottom: .4rem; font-size: 1.05rem; }
.accent, b.late { color: var(--accent); }
dl.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11.5rem, 1fr)); gap: .75rem; margin: 1.5rem 0 0; }
.tiles > div, figure, .card { margin: 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .6rem; background: var(--card); break-inside: avoid; }
.tiles > div { display: flex; flex-direction: column; }
.tiles dt { font-size: .875rem; font-weight: 600; line-height: 1.35; margin-bottom: .15rem; }
.tiles dd { margin: 0; font-size: .875rem; color: var(--muted); }
.tiles dd.clock { color: var(--text); }
.whole, .key, header code { white-space: nowrap; }
.tiles dd.now { color: var(--text); order: -1; font-size: 1.6rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 25rem), 1fr)); gap: .75rem; }
figure { container-type: inline-size; }
figure svg { display: block; width: 100%; margin-top: .75rem; overflow: visible; print-color-adjust: exact; }
svg text { fill: var(--muted); font-size: 12px; text-anchor: middle; font-variant-numeric: tabular-nums; }
@container (max-width: 425px) { svg text { font-size: 15.5px; } }
svg text.value { fill: var(--text); font-weight: 600; }
svg text.start { text-anchor: start; } svg text.end { text-anchor: end; }
svg text.in { fill: var(--text); } svg .late + text.dark { fill: light-dark(#fff, #15171a); }
svg .met { fill: var(--ink); } svg .late { fill: var(--accent); } svg .none { fill: var(--card); stroke: var(--muted); stroke-width: 1.25; } svg .empty { fill: var(--ground); }
svg .base { stroke: var(--muted); } svg line.target { stroke: var(--text); stroke-dasharray: 3 3; }
.key { padding: 0 .35em; border-radius: .25em; print-color-adjust: exact; }
.key.met { background: var(--ink); color: var(--text); } .key.late { background: var(--accent); color: light-dark(#fff, #15171a); } .key.none { box-shadow: inset 0 0 0 1px var(--muted); color: var(--text); }
/* The edge has a shadow while there is more to see. */
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: .6rem; break-inside: avoid;
  background: linear-gradient(to left, var(--card) 50%, transparent) right / 3rem 100% no-repeat local,
    linear-gradient(to left, light-dark(#0005, #000c), transparent) right / 1rem 100% no-repeat scroll, var(--card); }
.scroll table { width: 100%; border-collapse: separate; border-spacing: 0; font-size: .875rem; font-variant-numeric: tabular-nums; }
.scroll th, .scroll td { padding: .4rem .6rem; text-align: right; white-space: nowrap; font-weight: 400; }
.scroll th { color: var(--muted); } .scroll th[scope=row] { color: var(--text); white-space: normal; min-width: 7rem; }
.scroll tr > :first-child { position: sticky; left: 0; text-align: left; background: var(--card); box-shadow: -2px 0 var(--card); }
tbody th, tbody td { border-top: 1px solid var(--line); }
.scroll tr { break-inside: avoid; }
.late-1 { --depth: 15%; } .late-2 { --depth: 30%; } .late-3 { --depth: 50%; }
[class*=late-] { print-color-adjust: exact; background: color-mix(in srgb, var(--accent) var(--depth), transparent); color: var(--text); }
.few { background: color-mix(in srgb, var(--accent) 7%, transparent); color: var(--muted); }
td[class*=late-] { font-weight: 600; } td[class*=late-] small { color: inherit; font-weight: 400; }
ol.waits { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: .75rem; margin: 0; padding: 0; list-style: none; }
.waits li:nth-child(-n + 3) { grid-column: 1 / -1; } .waits li:nth-child(n + 4) { padding: .5rem .75rem; font-size: .875rem; }
.waits .card > p:first-child { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; font-size: 1.05rem; }
.waits code { display: inline-block; padding: .05rem .4rem; border-radius: .25rem; background: var(--ground); font-size: .8125rem; }
summary { margin-bottom: 1rem; }
.counts { columns: 22rem; column-gap: 2rem; margin: 0 0 .75rem; font-size: .875rem; color: var(--muted); }
.counts div { margin-bottom: .4rem; break-inside: avoid; } .counts dt { color: var(--text); font-weight: 600; } .counts dd { margin: 0; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
${EXPLANATION_STYLE}
.waits .lane { grid-template-columns: 1fr; } .waits .lane h3, .waits .lane span { display: none; } .waits .lane p { grid-column: 1; }
.swatch { display: inline-block; width: 1.5rem; height: .75rem; border-radius: .2rem; vertical-align: -.05rem; print-color-adjust: exact; }
.campaign { margin-bottom: 1.25rem; break-inside: avoid; } .campaign-name { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; margin-bottom: .5rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 35rem) { body { padding: 1rem .75rem 2rem; } h1 { font-size: 1.4rem; } dl.tiles { grid-template-columns: 1fr 1fr; gap: .5rem; } .tiles > div { padding: .6rem .7rem; } .tiles dd.now { font-size: 1.3rem; }
  .lead.wide::after { content: ' The table scrolls sideways →'; color: var(--text); white-space: nowrap; } }
@media print { @page { size: A4; margin: 12mm; } :root { color-scheme: light; font-size: 12px; } body { padding: 0 2px; max-width: none; background: none; }
  .charts { grid-template-columns: 1fr 1fr; } dl.tiles { grid-template-columns: repeat(5, 1fr); } .tiles dd.now { font-size: 1.35rem; } h2 { break-after: avoid; } .scroll { overflow: visible; background: none; } .scroll tr > :first-child { position: static; background: none; box-shadow: none; } details::details-content { content-visibility: visible; } }
`;
