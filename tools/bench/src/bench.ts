import { median, type Figures } from './measure';
import { printTable, writeTable, type Line } from './report';
import { Revision } from './revision';
import { contactCenterRows } from './rows/contact-center.rows';
import type { AnySuite, Row } from './rows/row';
import { start } from './rows/start.rows';
import { surveyRows } from './rows/survey.rows';
import { delivery, sessions, sockets } from './rows/webchat.rows';
import { Target } from './target';

const SUITES: readonly AnySuite[] = [sessions, sockets, delivery, contactCenterRows, surveyRows, start];

export interface BenchOptions {
  /** Of the names of rows. */
  readonly pattern: RegExp;
  readonly against?: string;
  readonly rounds: number;
  readonly write?: true;
}

/** What is measured in turn: this checkout, another commit, a bare handler. */
interface Way {
  readonly of: 'this' | 'other' | 'bare';
  readonly measure: (round: number) => Promise<Figures>;
}

/** Measures all rows, prints their table, and stores it if asked for. */
export async function bench({ pattern, against, rounds, write }: BenchOptions): Promise<void> {
  const here = await (await Revision.here()).built();
  const other =
    against === undefined
      ? undefined
      : await unlessItFails(`${against} is not measured`, Revision.ofCommit(against));
  const lines: Line[] = [];
  for (const suite of SUITES) {
    const rows = suite.rows.filter(({ name }) => pattern.test(`${suite.name}: ${name}`));
    if (rows.length > 0) lines.push(...(await measureSuite(suite, rows, here, other, rounds)));
  }
  const table = printTable(lines, here.name, other?.name);
  if (write) await writeTable(table);
}

async function measureSuite(
  suite: AnySuite,
  rows: AnySuite['rows'],
  here: Revision,
  other: Revision | undefined,
  rounds: number,
): Promise<Line[]> {
  console.error(`${suite.name}: starts, stores data`);
  const ours = await prepared(suite, here);
  const theirs =
    other && (await unlessItFails(`${suite.name}: ${other.name} is not measured`, prepared(suite, other)));
  const lines: Line[] = [];
  try {
    const bare = suite.bareEntry === undefined ? undefined : await bareTarget(suite, ours.target);
    for (const row of rows) {
      const ways: Way[] = [{ of: 'this', measure: (round) => row.measure(ours.target, ours.data, round) }];
      if (theirs)
        ways.push({ of: 'other', measure: (round) => row.measure(theirs.target, theirs.data, round) });
      const { bare: besides } = row;
      if (besides === 'handler' && bare)
        ways.push({ of: 'bare', measure: (round) => row.measure(bare, ours.data, round) });
      if (typeof besides === 'function')
        ways.push({ of: 'bare', measure: (round) => besides(ours.target, ours.data, round) });
      lines.push(await measureRow(suite, row, ways, rounds));
    }
  } finally {
    await Promise.all([ours.target.stop(), theirs?.target.stop()]);
  }
  return lines;
}

/** Measures the ways of a row in turn, so that what else the machine does meets all of them. */
async function measureRow(
  suite: AnySuite,
  row: Row<unknown>,
  ways: readonly Way[],
  rounds: number,
): Promise<Line> {
  const measured: Record<Way['of'], Figures[]> = { this: [], other: [], bare: [] };
  const failed = new Set<Way['of']>();
  for (let round = 0; round <= rounds; round++) {
    console.error(`${suite.name}: ${row.name}: ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}`);
    for (const way of ways) {
      if (failed.has(way.of)) continue;
      const measuring = way.measure(round);
      // An older commit may not have the endpoint, or may answer it in another way.
      const figures =
        way.of === 'other'
          ? await unlessItFails(`${row.name}: the other commit is not measured`, measuring)
          : await measuring;
      if (figures === undefined) failed.add(way.of);
      else if (round > 0) measured[way.of].push(figures);
    }
  }
  for (const way of failed) measured[way] = [];
  const ratio = (to: readonly Figures[]) =>
    to.length === 0 ? undefined : median(measured.this.map(({ value }, round) => value / to[round]!.value));
  const middle = (part: keyof Figures) => {
    const values = measured.this.map((figures) => figures[part]).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : median(values);
  };
  return {
    suite: suite.name,
    row,
    value: middle('value')!,
    p50: middle('p50'),
    p99: middle('p99'),
    toOther: ratio(measured.other),
    toBare: ratio(measured.bare),
  };
}

/** Stores and services of a revision with the data of a suite. @throws when it can't have them; nothing runs then */
async function prepared(suite: AnySuite, revision: Revision): Promise<{ target: Target; data: unknown }> {
  const target = await Target.start(revision);
  try {
    await target.startServices(suite.services, suite.env);
    return { target, data: await suite.prepare(target) };
  } catch (error) {
    await target.stop();
    throw error;
  }
}

/** The bare handlers in place of the suite's first service. */
async function bareTarget({ services, env, bareEntry }: AnySuite, target: Target): Promise<Target> {
  const [service] = services as [AnySuite['services'][number]];
  const process = await target.startProcess(service, env, `tools/bench/src/${bareEntry}`);
  return target.with(service, process);
}

/** @returns undefined, and prints why, if it fails */
async function unlessItFails<Result>(what: string, work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    console.error(`${what}: ${String(error)}`);
    return undefined;
  }
}
