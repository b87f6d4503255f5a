import { benchExport } from './export/export.bench';
import { benchRealtime } from './realtime/realtime.bench';
import { benchSessions } from './sessions/sessions.bench';
import { benchSurvey } from './survey/survey.bench';

const BENCHMARKS: Readonly<Record<string, () => Promise<void>>> = {
  sessions: benchSessions,
  export: benchExport,
  realtime: benchRealtime,
  survey: benchSurvey,
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
