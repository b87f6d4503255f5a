import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import type { Cell } from '../src/response-export/cell';
import { exportFixture } from './export-fixture';
import { readDelimited } from './read-tables';
import { exportResponses, importRecords, startSurvey } from './survey-service';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const installed = (process.env.PATH ?? '')
  .split(delimiter)
  .some((folder) => existsSync(join(folder, 'soffice')));

/** How LibreOffice's import dialogue is left: tabs, double quotes, as the byte order mark says, every column as text. */
const TEXT_IMPORT = '9,34,65535,1,,0,true,false,false';
/** Commas, double quotes, UTF-8, cells as they are shown. */
const CSV_EXPORT = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true';

(installed ? describe : describe.skip)('LibreOffice, when it is installed, opens', () => {
  let service: TestService;
  let caller: Caller;
  let folder: string;
  beforeAll(async () => {
    service = await startSurvey();
    caller = await service.caller();
    folder = await mkdtemp(join(tmpdir(), 'cxp-spreadsheet-'));
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  /** The cells that a person sees. A spreadsheet has one kind of line end within a cell. */
  async function open(file: Buffer, name: string, ...options: string[]): Promise<string[][]> {
    await writeFile(join(folder, name), file);
    await promisify(execFile)('soffice', [
      `-env:UserInstallation=file://${join(folder, 'profile')}`,
      '--headless',
      ...options,
      ...['--convert-to', CSV_EXPORT, '--outdir', join(folder, 'shown'), join(folder, name)],
    ]);
    const shown = await readFile(join(folder, 'shown', name.replace(/\.\w+$/, '.csv')), 'utf8');
    return readDelimited(shown.replace(/\r?\n(?=(?:[^"]|"[^"]*")*$)/g, '\r\n'), ',');
  }

  it('the exported file and the workbook with every cell as it is', async () => {
    const campaign = randomUUID();
    const { records, heading, cells, texts } = exportFixture(campaign);
    await importRecords(service, caller, ...records);
    const query = { survey_campaign_id: campaign, start_date: '2026-01-01', end_date: '2026-01-31' };

    const tsv = await exportResponses(service, caller, query).expect(200);
    const shown = await open(tsv.body, 'export.csv', `--infilter=Text - txt - csv (StarCalc):${TEXT_IMPORT}`);
    expect(shown).toEqual(asShown([heading, ...texts]));

    const xlsx = await exportResponses(service, caller, query, XLSX).expect(200);
    expect(await open(xlsx.body, 'workbook.xlsx')).toEqual(asShown([heading, ...cells]));
  }, 120_000);
});

function asShown(rows: readonly (readonly Cell[])[]): string[][] {
  return rows.map((row) => row.map((cell) => String(cell ?? '').replaceAll('\r\n', '\n')));
}
