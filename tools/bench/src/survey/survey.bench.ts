import { randomUUID } from 'node:crypto';
import { survey } from '@cxp/services/service-under-test';
import { type ServiceProcess } from '@cxp/local-servers';
import { withStack, type BenchStack, type RequestHeaders } from '../bench-stack';
import { copyRows, readAll } from '../copy-rows';
import { compareLoads, timesInTurn } from '../in-turn';
import type { Load } from '../load';
import { loadRecords, type Target } from '../load-records';
import { forgetPeak, peakResidentMegabytes, residentMegabytes } from '../peak-memory';
import { reportProgress } from '../progress';
import { campaignRecords, fullResponses, manyResponses } from './bench-data';
import { copyBaseline, copyStatement } from './copy-baseline';

const ORGANIZATION = 'bench';
const EXPORTED = 5_000;
const EXPORT_ROUNDS = 15;
/** Responses of the campaign whose pages are read. */
const LISTED = Number(process.env.ROWS ?? 200_000);
const PER_PAGE = 100;
const PAGE_ROUNDS = 101;
const LINK_CAMPAIGNS = 1_000;
const SECONDS = Number(process.env.SECONDS ?? 3);
const CONNECTIONS = 32;
const WINDOW = 'start_date=2026-08-01&end_date=2026-10-30';

/** The intake and C3 beside COPY, C4 beside a bare handler, and C2's last page beside its first. */
export function benchSurvey(): Promise<void> {
  return withStack([survey], 5, compareSurvey);
}

async function compareSurvey(stack: BenchStack): Promise<void> {
  const loader = await stack.startService(survey);
  const headers = await stack.addOrganization(ORGANIZATION);
  const target = { url: loader.url, headers };
  const [exported, listed, ...linked] = Array.from({ length: 2 + LINK_CAMPAIGNS }, () => randomUUID()) as [
    string,
    string,
    ...string[],
  ];
  await loadRecords(target, campaignRecords([exported, listed, ...linked]));
  await benchIntake(target, listed, stack.postgres.url);
  await loadRecords(target, fullResponses(exported, EXPORTED));
  await loader.stop();
  // Not the links, of which there are none: prepared plans would go on reading that table from its start.
  await stack.dataSource.query('VACUUM ANALYZE survey.campaign, survey.response, survey.response_block');
  const { service, bare } = await stack.startBoth(survey, 'survey/bare-server.ts');
  await benchExport(service, headers, exported, stack.postgres.url);
  await benchPages({ url: service.url, headers }, listed);
  await compareLoads(linkLoads(headers, linked), service, bare);
}

async function benchIntake(target: Target, campaignId: string, databaseUrl: string): Promise<void> {
  reportProgress(`intake of ${LISTED} responses`);
  const { seconds: ours } = await loadRecords(target, manyResponses(campaignId, LISTED));
  reportProgress('COPY of the same rows');
  const where = `organization_id = '${ORGANIZATION}' AND campaign_id = '${campaignId}'`;
  const { seconds: theirs } = await copyRows(databaseUrl, ['survey.response'], where);
  console.table({
    [`intake of ${LISTED} responses`]: {
      'responses/s': Math.round(LISTED / ours),
      'COPY rows/s': Math.round(LISTED / theirs),
      ratio: (theirs / ours).toFixed(2),
    },
  });
}

async function benchExport(
  service: ServiceProcess,
  headers: RequestHeaders,
  campaignId: string,
  databaseUrl: string,
): Promise<void> {
  const url = `${service.url}/external/survey-responses/export?survey_campaign_id=${campaignId}&${WINDOW}`;
  reportProgress('export');
  const exportFile = async (accept = '*/*') => {
    const answer = await fetch(url, { method: 'POST', headers: { ...headers, accept } });
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
    return readAll(answer.body!);
  };
  const copy = () => copyBaseline(databaseUrl, copyStatement(ORGANIZATION, campaignId, EXPORTED));

  const idle = residentMegabytes(service);
  forgetPeak(service);
  assertSameCells(await exportFile(), await copy());
  const { ours, theirs } = await timesInTurn({ ours: () => exportFile(), theirs: copy }, EXPORT_ROUNDS);
  const peak = peakResidentMegabytes(service);
  console.table({
    [`export of ${EXPORTED} × 40`]: {
      ms: ours.toFixed(0),
      'COPY | iconv ms': theirs.toFixed(0),
      ratio: (ours / theirs).toFixed(2),
      'idle MB': idle.toFixed(0),
      'peak above idle MB': (peak - idle).toFixed(0),
    },
  });
  const formats = ['text/csv; charset=utf-8', 'application/json', 'application/x-ndjson', XLSX];
  const exports = formats.map((format) => [format, () => exportFile(format)] as const);
  console.log('ms in other formats:', await timesInTurn(Object.fromEntries(exports), 5));
}

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Both write the same cells; they differ in which of them they quote needlessly, and in line ends. */
function assertSameCells(ours: Buffer, theirs: Buffer): void {
  const cells = (file: Buffer) =>
    [
      ...file
        .toString('utf16le')
        .replace('\ufeff', '')
        .matchAll(/"((?:[^"]|"")*)"|[^\t\r\n"]+/g),
    ].map(([plain, quoted]) => quoted?.replaceAll('""', '"') ?? plain);
  const [a, b] = [cells(ours), cells(theirs)];
  const different = a.findIndex((cell, index) => cell !== b[index]);
  if (different !== -1 || a.length !== b.length) {
    throw new Error(`the files differ: ${a[different]} and ${b[different]}`);
  }
}

async function benchPages({ url, headers }: Target, campaignId: string): Promise<void> {
  reportProgress('pages');
  const list = async (page: number) => {
    const query = `survey_campaign_id=${campaignId}&${WINDOW}&per_page=${PER_PAGE}&page=${page}`;
    const answer = await fetch(`${url}/external/survey-responses?${query}`, { headers });
    const { items, total } = (await answer.json()) as { items: unknown[]; total: number };
    if (items.length !== PER_PAGE || total !== LISTED)
      throw new Error(`page ${page}: ${items.length} of ${total}`);
  };
  const pages = { first: 1, middle: LISTED / PER_PAGE / 2, last: LISTED / PER_PAGE };
  const { first, middle, last } = await timesInTurn(
    { first: () => list(pages.first), middle: () => list(pages.middle), last: () => list(pages.last) },
    PAGE_ROUNDS,
  );
  console.table({
    [`pages of ${LISTED} responses`]: {
      'first ms': first.toFixed(1),
      'middle ms': middle.toFixed(1),
      'last ms': last.toFixed(1),
      'last / first': (last / first).toFixed(2),
    },
  });
}

function linkLoads(headers: RequestHeaders, campaigns: readonly string[]): Record<string, Omit<Load, 'url'>> {
  let count = 0;
  const request = (value: number) => ({
    method: 'POST' as const,
    path: `/external/survey-campaigns/${campaigns[value % LINK_CAMPAIGNS]}/links`,
    body: JSON.stringify({
      name: 'Cửa hàng Hà Nội 01',
      metadata_mapping: [
        { metadata_id: 1, value: `Hà Nội ${value}` },
        { metadata_id: 2, value: 17 },
        { metadata_id: 3, value: ['mới', 'trực tuyến'] },
      ],
    }),
  });
  const load = {
    headers: { ...headers, 'content-type': 'application/json' },
    connections: CONNECTIONS,
    seconds: SECONDS,
    expectedStatus: 200,
  };
  return {
    'link, new': { ...load, nextRequest: () => request(++count) },
    'link, repeated': { ...load, nextRequest: () => request(1 + (++count % LINK_CAMPAIGNS)) },
  };
}
