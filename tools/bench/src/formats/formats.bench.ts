import { contactCenter } from '@cxp/services/service-under-test';
import { withStack, type BenchStack, type RequestHeaders } from '../bench-stack';
import { conversationRecords } from '../export/generated-conversations';
import { loadRecords } from '../load-records';
import { forgetPeak, peakResidentMegabytes } from '../peak-memory';
import { reportProgress } from '../progress';

/** Rows of the smaller file; the larger one has ten times as many. */
const ROWS = Number(process.env.ROWS ?? 20_000);
const SIZES = [ROWS, 10 * ROWS];

const FORMATS = {
  CSV: 'text/csv',
  NDJSON: 'application/x-ndjson',
  XLSX: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  Parquet: 'application/vnd.apache.parquet',
};
const WINDOW = '/external/conversation-sessions?startDate=2025-01-01&endDate=2025-12-31';

/** Area B: the memory of the service while it answers n and 10n rows in each format. */
export function benchFormats(): Promise<void> {
  return withStack(
    [contactCenter],
    SIZES.length + SIZES.length * Object.keys(FORMATS).length,
    compareFormats,
  );
}

async function compareFormats(stack: BenchStack): Promise<void> {
  const intake = await stack.startService(contactCenter);
  const organizations: [size: number, headers: RequestHeaders][] = [];
  for (const size of SIZES) {
    reportProgress(`intake of ${size.toLocaleString('en')} rows`);
    const headers = await stack.addOrganization(`rows-${size}`);
    await loadRecords({ url: intake.url, headers }, conversationRecords(size));
    organizations.push([size, headers]);
  }
  await intake.stop();
  await stack.dataSource.query('VACUUM (ANALYZE)');
  const table: Record<string, Record<string, string>> = {};
  for (const [name, accept] of Object.entries(FORMATS)) {
    table[name] = {};
    for (const [size, headers] of organizations) {
      reportProgress(`${name} of ${size.toLocaleString('en')} rows`);
      // A process of its own: what one answer leaves behind is no memory of the next.
      const service = await stack.startService(contactCenter);
      forgetPeak(service);
      const bytes = await read(service.url + WINDOW, { ...headers, accept });
      const rows = `${size.toLocaleString('en')} rows`;
      table[name][`${rows}: MB of the file`] = (bytes / 1e6).toFixed(1);
      table[name][`${rows}: peak MB`] = peakResidentMegabytes(service).toFixed(0);
      await service.stop();
    }
  }
  console.table(table);
}

/** Reads an answer as it comes, without keeping it. */
async function read(url: string, headers: RequestHeaders): Promise<number> {
  const answer = await fetch(url, { headers });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  let bytes = 0;
  for await (const chunk of answer.body!) bytes += (chunk as Uint8Array).length;
  return bytes;
}
