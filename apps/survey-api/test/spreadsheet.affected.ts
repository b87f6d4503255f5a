import { execFile, execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { unpackedDebianPackage } from '@cxp/testing/local-servers';
import { needs } from '@cxp/testing';
import type { Cell } from '@cxp/spreadsheet';
import { readDelimited } from '@cxp/spreadsheet/testing';
import { exportFixture } from './export-fixture';
import { useSurvey } from './survey-service';

/*
 * The exported files in the programs that people open them with: each converts a file to CSV, as it shows its cells.
 * SheetJS reads the workbook in `xlsx-file.spec.ts`.
 */

jest.setTimeout(120_000);

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

const run = promisify(execFile);

const survey = useSurvey();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cxp-spreadsheet-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The export of a campaign as a file. */
async function exported(name: string, mediaType?: string) {
  const fixture = exportFixture(survey.campaignId);
  await survey.import(...fixture.records);
  const { body } = await survey.exportResponses({}, mediaType).expect(200);
  const file = join(folder, name);
  await writeFile(file, body as Buffer);
  return { file, ...fixture };
}

/** The cells of a CSV file. A spreadsheet has one kind of line end within a cell. */
async function shownIn(file: string): Promise<string[][]> {
  const text = (await readFile(file, 'utf8')).replaceAll('\r\n', '\n');
  return readDelimited(text.replace(/\n(?=(?:[^"]|"[^"]*")*$)/g, '\r\n'), ',');
}

function asShown(rows: readonly (readonly Cell[])[]): string[][] {
  return rows.map((row) => row.map((cell) => String(cell ?? '').replaceAll('\r\n', '\n')));
}

/** Its plugins are found below `/usr` only: the package is laid over it, in a mount namespace of its own. */
const OVERLAY = 'mount -t overlay overlay -o lowerdir="$1/usr:/usr" /usr && shift && exec "$@"';
const NAMESPACE = ['--map-root-user', '--mount'];

needs('rights to mount', canMount()).describe('Gnumeric opens', () => {
  it('the workbook with every cell as it is, and real dates', async () => {
    const { file, heading, cells } = await exported('gnumeric.xlsx', XLSX);
    const csv = join(folder, 'gnumeric.csv');
    const gnumeric = await unpackedDebianPackage('gnumeric');
    const convert = ['ssconvert', '--export-type=Gnumeric_stf:stf_csv', file, csv];
    await run('unshare', [...NAMESPACE, 'sh', '-c', OVERLAY, 'sh', gnumeric, ...convert], {
      env: { ...process.env, HOME: folder },
    });
    // It writes dates in its own way, midnight without a time, and texts that look like dates as they are.
    const dated = cells.map((row) =>
      row.map((cell, column) =>
        typeof cell === 'string' && column >= 1 && column <= 4
          ? cell.replaceAll('-', '/').replace(' 00:00:00', '')
          : cell,
      ),
    );
    expect(await shownIn(csv)).toEqual(asShown([heading, ...dated]));
  });
});

function canMount(): boolean {
  try {
    execFileSync('unshare', [...NAMESPACE, 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** How LibreOffice's import dialogue is left: tabs, double quotes, as the byte order mark says, every column as text. */
const TEXT_IMPORT = '--infilter=Text - txt - csv (StarCalc):9,34,65535,1,,0,true,false,false';
/** Commas, double quotes, UTF-8, cells as they are shown. */
const CSV_EXPORT = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true';

needs('soffice').describe('LibreOffice opens', () => {
  it.each([
    ['export.csv', undefined, [TEXT_IMPORT], 'texts'],
    ['workbook.xlsx', XLSX, [], 'cells'],
  ] as const)('%s with every cell as it is', async (name, mediaType, options, expected) => {
    const { file, heading, ...fixture } = await exported(name, mediaType);
    await run('soffice', [
      `-env:UserInstallation=file://${join(folder, 'profile')}`,
      '--headless',
      ...options,
      ...['--convert-to', CSV_EXPORT, '--outdir', join(folder, 'shown'), file],
    ]);
    const csv = join(folder, 'shown', name.replace(/\.\w+$/, '.csv'));
    expect(await shownIn(csv)).toEqual(asShown([heading, ...fixture[expected]]));
  });
});
