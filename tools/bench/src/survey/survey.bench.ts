import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { survey } from '@cxp/services/service-under-test';
import { type ServiceProcess } from '@cxp/local-servers';
import { BenchStack } from '../bench-stack';
import { copyRows, readAll } from '../copy-rows';
import { compareLoad, COMPARISON_STEPS } from '../compare-load';
import { forgetPeak, peakResidentMegabytes, residentMegabytes } from '../peak-memory';
import { median } from '../statistics';
import { fullResponse, manyResponses, METADATA_FIELDS, QUESTIONS, storeRecords } from './bench-data';
import { copyBaseline, copyStatement } from './copy-baseline';
import { planSteps, reportProgress } from '../progress';

/** What can be measured, and the steps that it reports. */
const STEPS_OF_PARTS = { intake: 2, export: 1, pages: 1, links: 2 * COMPARISON_STEPS };
type Part = keyof typeof STEPS_OF_PARTS;
const PARTS = (process.env.PARTS ?? Object.keys(STEPS_OF_PARTS).join(',')).split(',') as Part[];
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
export async function benchSurvey(): Promise<void> {
  planSteps(PARTS.reduce((steps, part) => steps + STEPS_OF_PARTS[part], 2));
  const stack = await BenchStack.start(survey);
  reportProgress('prepare data');
  const data = await prepare(stack);
  reportProgress('start the service and the bare implementation');
  const service = await stack.startService();
  const bare = await stack.startBare('survey/bare-server.ts');

  if (PARTS.includes('export')) await benchExport(service, data, stack.postgres.url);
  if (PARTS.includes('pages')) await benchPages(service, data);
  if (PARTS.includes('links')) await benchLinks(service, bare, data);
  await stack.stop();
}

interface BenchData {
  readonly headers: Readonly<Record<string, string>>;
  readonly exportedCampaign: string;
  readonly listedCampaign: string;
  readonly linkCampaigns: readonly string[];
}

async function prepare(stack: BenchStack): Promise<BenchData> {
  const { dataSource, postgres } = stack;
  const caller = await stack.addOrganization(ORGANIZATION);
  const campaigns = Array.from({ length: 2 + LINK_CAMPAIGNS }, () => ({
    id: randomUUID(),
    name: 'Khảo sát sau mua hàng',
    status: 'active',
    touchpoints: ['Cửa hàng', 'Website'],
    survey_questions: QUESTIONS,
  }));
  const [exportedCampaign, listedCampaign, ...linkCampaigns] = campaigns.map(({ id }) => id) as [
    string,
    string,
    ...string[],
  ];
  const store = (type: string, records: Iterable<object>) =>
    storeRecords(dataSource, ORGANIZATION, type, records);
  await store('organization_settings', [{ max_survey_links_per_campaign: 1_000_000 }]);
  await store('metadata_field', METADATA_FIELDS);
  await store('survey_campaign', campaigns);
  if (PARTS.includes('export')) {
    await store(
      'survey_response',
      Array.from({ length: EXPORTED }, (_, n) => fullResponse(exportedCampaign, n)),
    );
  }
  const intake = () => store('survey_response', manyResponses(listedCampaign, LISTED));
  if (PARTS.includes('intake')) await benchIntake(postgres.url, listedCampaign, intake);
  else if (PARTS.includes('pages')) await intake();
  await dataSource.query('VACUUM ANALYZE');
  const headers = { ...caller, 'content-type': 'application/json' };
  return { headers, exportedCampaign, listedCampaign, linkCampaigns };
}

async function benchIntake(
  databaseUrl: string,
  campaignId: string,
  intake: () => Promise<void>,
): Promise<void> {
  reportProgress(`intake of ${LISTED} responses`);
  const ours = (await milliseconds(intake)) / 1_000;
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
  { headers, exportedCampaign }: BenchData,
  databaseUrl: string,
): Promise<void> {
  const url = `${service.url}/external/survey-responses/export?survey_campaign_id=${exportedCampaign}&${WINDOW}`;
  reportProgress('export');
  const exportFile = async (accept = '*/*') => {
    const answer = await fetch(url, { method: 'POST', headers: { ...headers, accept } });
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`);
    return readAll(answer.body!);
  };
  const statement = copyStatement(ORGANIZATION, exportedCampaign, EXPORTED);
  const copy = (sql: string) => copyBaseline(databaseUrl, sql);

  const idle = residentMegabytes(service);
  forgetPeak(service);
  assertSameCells(await exportFile(), await copy(statement));
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < EXPORT_ROUNDS; round++) {
    ours.push(await milliseconds(() => exportFile()));
    theirs.push(await milliseconds(() => copy(statement)));
  }
  const peak = peakResidentMegabytes(service);
  const formats: Record<string, string> = {};
  for (const accept of ['text/csv; charset=utf-8', 'application/json', 'application/x-ndjson', XLSX]) {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) times.push(await milliseconds(() => exportFile(accept)));
    formats[accept] = median(times).toFixed(0);
  }
  console.table({
    [`export of ${EXPORTED} × 40`]: {
      ms: median(ours).toFixed(0),
      'COPY | iconv ms': median(theirs).toFixed(0),
      ratio: (median(ours) / median(theirs)).toFixed(2),
      'idle MB': idle.toFixed(0),
      'peak above idle MB': (peak - idle).toFixed(0),
    },
  });
  console.log('ms in other formats:', formats);
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

async function benchPages(service: ServiceProcess, { headers, listedCampaign }: BenchData): Promise<void> {
  reportProgress('pages');
  const list = async (page: number) => {
    const query = `survey_campaign_id=${listedCampaign}&${WINDOW}&per_page=${PER_PAGE}&page=${page}`;
    const answer = await fetch(`${service.url}/external/survey-responses?${query}`, { headers });
    const { items, total } = (await answer.json()) as { items: unknown[]; total: number };
    if (items.length !== PER_PAGE || total !== LISTED)
      throw new Error(`page ${page}: ${items.length} of ${total}`);
  };
  const times: Record<'first' | 'middle' | 'last', number[]> = { first: [], middle: [], last: [] };
  for (let round = 0; round < PAGE_ROUNDS; round++) {
    times.first.push(await milliseconds(() => list(1)));
    times.middle.push(await milliseconds(() => list(LISTED / PER_PAGE / 2)));
    times.last.push(await milliseconds(() => list(LISTED / PER_PAGE)));
  }
  const [first, middle, last] = [median(times.first), median(times.middle), median(times.last)];
  console.table({
    [`pages of ${LISTED} responses`]: {
      'first ms': first.toFixed(1),
      'middle ms': middle.toFixed(1),
      'last ms': last.toFixed(1),
      'last / first': (last / first).toFixed(2),
    },
  });
}

async function benchLinks(
  service: ServiceProcess,
  bare: ServiceProcess,
  { headers, linkCampaigns }: BenchData,
): Promise<void> {
  let count = 0;
  const request = (value: number) => ({
    method: 'POST' as const,
    path: `/external/survey-campaigns/${linkCampaigns[value % LINK_CAMPAIGNS]}/links`,
    body: JSON.stringify({
      name: 'Cửa hàng Hà Nội 01',
      metadata_mapping: [
        { metadata_id: 1, value: `Hà Nội ${value}` },
        { metadata_id: 2, value: 17 },
        { metadata_id: 3, value: ['mới', 'trực tuyến'] },
      ],
    }),
  });
  const load = { headers, connections: CONNECTIONS, seconds: SECONDS, expectedStatus: 200 };
  const scenarios = {
    'link, new': () => request(++count),
    'link, repeated': () => request(1 + (++count % LINK_CAMPAIGNS)),
  };
  const rows: Record<string, Record<string, string | number>> = {};
  for (const [name, nextRequest] of Object.entries(scenarios)) {
    rows[name] = await compareLoad(name, { ...load, nextRequest }, service.url, bare.url);
  }
  console.table(rows);
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
