import { benchChanges } from './changes/changes.bench';
import { benchCitus } from './citus/citus.bench';
import { benchExpiry } from './expiry/expiry.bench';
import { benchExport } from './export/export.bench';
import { benchFormats } from './formats/formats.bench';
import { benchGrowth } from './growth/growth.bench';
import { benchNeighbours } from './neighbours/neighbours.bench';
import { benchRealtime } from './realtime/realtime.bench';
import { benchSessions } from './sessions/sessions.bench';
import { benchShards } from './shards/shards.bench';
import { benchStart } from './start/start.bench';
import { benchSurvey } from './survey/survey.bench';
import { benchSurveyPage } from './survey-page/survey-page.bench';
import { benchWorst } from './worst/worst.bench';

const BENCHMARKS: Readonly<Record<string, () => Promise<void>>> = {
  sessions: benchSessions,
  export: benchExport,
  formats: benchFormats,
  changes: benchChanges,
  realtime: benchRealtime,
  survey: benchSurvey,
  'survey-page': benchSurveyPage,
  growth: benchGrowth,
  neighbours: benchNeighbours,
  expiry: benchExpiry,
  worst: benchWorst,
  citus: benchCitus,
  shards: benchShards,
  start: benchStart,
};

/** `npm run bench -- <name>`: measures a service and a bare implementation in one run and prints their ratios. */
export async function main([name = '']: readonly string[]): Promise<void> {
  const benchmark = BENCHMARKS[name];
  if (!benchmark) {
    console.error(`usage: npm run bench -- ${Object.keys(BENCHMARKS).join(' | ')}`);
    process.exitCode = 2;
    return;
  }
  await benchmark();
}
