import { existsSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { imageEnvironment, workspaceRoot } from '@cxp/testing/local-servers';
import { startBuilt } from '@cxp/system-tests/service-under-test';
import { HEAD, lineOf, measurePrices } from './prices';
import { type Area, median, ROWS, storeData, type Figures, type Row, type Stand } from './rows';
import { built, megabytesOf, run, SERVICES, startStores } from './services';

/** Of each row, after one to warm up. */
const ROUNDS = 4;

export async function main(argv: readonly string[]): Promise<void> {
  await new Command('bench')
    .description('measures the services as their images run them, beside another commit')
    .argument(
      '[pattern]',
      'of the names of rows that are measured; prices: of every call, at its largest',
      '.',
    )
    .argument('[calls]', 'prices: of the names of calls that are measured', '.')
    .option('--against <commit>', 'measures it, too, in turn with this one')
    .action((pattern: string, calls: string, { against }: { against?: string }) =>
      pattern === 'prices' ? prices(new RegExp(calls)) : bench(new RegExp(pattern), against),
    )
    .parseAsync([...argv], { from: 'user' });
}

async function bench(pattern: RegExp, against?: string): Promise<void> {
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const ours = await startStand(await built(workspaceRoot), stops);
    const beside = new Map<string, Stand>();
    if (against) beside.set(against, await startStand(await checkedOut(against), stops));
    console.log(await headOf([...beside.keys()]));
    for (const row of ROWS.filter(({ name }) => pattern.test(name))) {
      const cells = await measureRow(row, ours, beside);
      console.log(`| ${cells.join(' | ')} |`);
    }
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

async function prices(pattern: RegExp): Promise<void> {
  console.log(`${await whereAndWhen()}\n\n${HEAD}`);
  await measurePrices(pattern, (price) => console.log(lineOf(price)));
}

const OURS = 'ours';

/** @returns the cells of its line: medians, and their ratios to those of each stand beside ours */
async function measureRow(row: Row, ours: Stand, beside: ReadonlyMap<string, Stand>): Promise<string[]> {
  const stands: (readonly [string, Stand])[] = [[OURS, ours], ...beside];
  const rounds: ReadonlyMap<string, Figures>[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    // In turn, so that what else the machine does meets all of them; and each is first in as many rounds.
    rounds.push(await measureRound(row, round % 2 === 0 ? stands : stands.toReversed()));
  }
  rounds.shift();
  const middle = (part: keyof Figures) =>
    rounded(median(rounds.map((round) => round.get(OURS)?.[part] ?? Number.NaN)));
  const toOthers = [...beside.keys()].map((name) => {
    const ratios = rounds.map((round) => round.get(OURS)!.value / (round.get(name)?.value ?? Number.NaN));
    return ratios.some(Number.isNaN) ? '' : median(ratios).toFixed(2);
  });
  return [row.name, `${middle('value')} ${row.unit}`, middle('p50'), middle('p99'), ...toOthers];
}

async function measureRound(
  row: Row,
  stands: readonly (readonly [string, Stand])[],
): Promise<ReadonlyMap<string, Figures>> {
  const figures = new Map<string, Figures>();
  for (const [name, stand] of stands) {
    // Another commit may not have the endpoint.
    const measured = await row.measure(stand).catch((error: unknown) => {
      if (name === OURS) throw error;
      console.error(error);
    });
    if (measured) figures.set(name, measured);
  }
  return figures;
}

/** Another commit, in a work tree below `.local/bench` that is kept for the next run. */
async function checkedOut(commit: string): Promise<string> {
  const root = join(workspaceRoot, '.local/bench', commit);
  if (!existsSync(root)) {
    await run('git', ['worktree', 'add', '--detach', root, commit], { cwd: workspaceRoot });
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root });
  }
  return built(root);
}

/** Starts stores and the services of a checkout over them, without limits, and stores the data that rows need. */
async function startStand(root: string, stops: (() => Promise<unknown>)[]): Promise<Stand> {
  const { environment: stores, callerOf } = await startStores(root, stops);
  const headers = await callerOf('bench');
  const settings = { LOG_LEVEL: 'warn', WEBCHAT_SOCKET_FRAMES_PER_SEC: '1000000' };
  const start = async (area: Area, more: Record<string, string> = {}) => {
    const built = join(root, 'dist/apps', SERVICES[area].name, 'main.js');
    const environment = { ...imageEnvironment(), ...stores, ...settings, ...more };
    return startBuilt(SERVICES[area], environment, built);
  };
  const contactCenter = await start('contactCenter');
  const records = { CONTACT_CENTER_RECORDS_URL: `${contactCenter.url}/internal/records` };
  const [webchat, survey] = await Promise.all([start('webchat', records), start('survey')]);
  stops.push(() => Promise.all([webchat.stop(), contactCenter.stop(), survey.stop()]));
  const stand: Stand = {
    urls: { webchat: webchat.url, contactCenter: contactCenter.url, survey: survey.url },
    headers,
    sessionIds: [],
    startOnce: async (area, what) => {
      const startedAt = performance.now();
      const started = await start(area);
      const took = performance.now() - startedAt;
      const megabytes = await megabytesOf(await started.pid, 'VmRSS');
      await started.stop();
      return { value: { took, megabytes }[what] };
    },
  };
  console.error(`${root}: stores data`);
  await storeData(stand);
  return stand;
}

function rounded(value: number): string {
  if (Number.isNaN(value)) return '';
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
}

/** Of the table: where it was made, and its columns. */
async function headOf(others: readonly string[]): Promise<string> {
  const columns = ['what', 'figure', 'p50 ms', 'p99 ms', ...others.map((other) => `to ${other}`)];
  return `${await whereAndWhen()}

| ${columns.join(' | ')} |
| ${columns.map(() => '---').join(' | ')} |`;
}

async function whereAndWhen(): Promise<string> {
  const { stdout: commit } = await run('git', ['describe', '--always', '--dirty'], { cwd: workspaceRoot });
  const machine = `${cpus().length} × ${cpus()[0]!.model.trim()}, ${Math.round(totalmem() / 1_024 ** 3)} GB`;
  const date = new Date().toISOString().slice(0, 10);
  return `${date}, commit ${commit.trim()}, Node.js ${process.version}, ${machine}; services, stores and clients on one machine:`;
}
