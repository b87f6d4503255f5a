import { benchChanges } from './changes/changes.bench';
import { benchContactCenterGrowth } from './export/contact-center-growth.bench';
import { benchExport } from './export/export.bench';
import { benchExportClients } from './export/export-clients.bench';
import { benchNeighbours } from './neighbours/neighbours.bench';
import { benchRealtime } from './realtime/realtime.bench';
import { benchSessions } from './sessions/sessions.bench';
import { benchWebchatGrowth } from './sessions/webchat-growth.bench';
import { benchStart } from './start/start.bench';
import { benchSurvey } from './survey/survey.bench';
import { benchSurveyGrowth } from './survey/survey-growth.bench';
import { benchSurveyPage } from './survey-page/survey-page.bench';
import { benchWorst } from './worst/worst.bench';

const BENCHMARKS: Readonly<Record<string, () => Promise<void>>> = {
  sessions: benchSessions,
  'webchat-growth': benchWebchatGrowth,
  export: benchExport,
  'export-clients': benchExportClients,
  'contact-center-growth': benchContactCenterGrowth,
  changes: benchChanges,
  realtime: benchRealtime,
  survey: benchSurvey,
  'survey-growth': benchSurveyGrowth,
  'survey-page': benchSurveyPage,
  neighbours: benchNeighbours,
  worst: benchWorst,
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
