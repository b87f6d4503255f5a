import { runs, seededRandom } from '@cxp/testing';
import type { FollowedChange } from '../src/followed-feed';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, keyOf, randomConversation, removal, type Row, upsert } from './generated-feed';

const next = seededRandom('history');
const random = (below: number) => Math.floor(next() * below);

/** A state of a row, from one read to another. */
interface State {
  readonly row: Row;
  readonly from: number;
  until: number;
  reason?: string;
}

/** The service: what its feed has, and what a reader must know after each read. */
class Model {
  change = 0;
  read = 0;
  readonly rows = new Map<string, { row: Row; change: number; updatedAt: string }>();
  readonly removals = new Map<string, { row: Row; change: number; reason: string }>();
  readonly states = new Map<string, State[]>();
  /** The last read after which nothing but numbers is left of the past states of a conversation. */
  readonly blankedAt = new Map<unknown, number>();
  /** The number of the copy after each read. */
  readonly changes: number[] = [];

  write(row: Row): void {
    const key = JSON.stringify(keyOf(row));
    this.removals.delete(key);
    this.change += 1;
    this.rows.set(key, { row, change: this.change, updatedAt: isoTime(this.change) });
  }

  remove(key: string, reason: string): void {
    const { row } = this.rows.get(key)!;
    this.rows.delete(key);
    this.change += 1;
    this.removals.set(key, { row, change: this.change, reason });
  }

  keysOf(conversationId: string): string[] {
    return [...this.rows].flatMap(([key, { row }]) => (row.conversationId === conversationId ? [key] : []));
  }

  /** Changes after a number, in their order. */
  since(change: number): FollowedChange[] {
    const upserts = [...this.rows.values()].map((each) => upsert(each.change, each.row, each.updatedAt));
    const removals = [...this.removals.values()].map((each) => removal(each.change, each.row, each.reason));
    return [...upserts, ...removals]
      .filter((item) => item.change > change)
      .sort((one, other) => one.change - other.change);
  }

  /**
   * What the reader knows now.
   * @param isUnseen rows that are gone are gone for a reason that it has not read
   * @param isStart it can't know whether what was gone before has been erased since
   */
  remember(isUnseen: boolean, isStart: boolean): void {
    this.read += 1;
    this.changes.push(this.change);
    for (const [key, states] of this.states) {
      const last = states.at(-1)!;
      if (last.until !== Infinity) continue;
      const held = this.rows.get(key);
      if (held?.row === last.row) continue;
      last.until = this.read;
      const removed = this.removals.get(key);
      last.reason = held ? 'changed' : isUnseen ? 'resync' : removed!.reason;
      if (['erased', 'expired', 'resync'].includes(last.reason))
        this.blankedAt.set(last.row.conversationId, this.read);
    }
    const held = new Set(Array.from(this.rows.values(), ({ row }) => row.conversationId));
    for (const [{ row }] of this.states.values() as Iterable<[State]>)
      if (isStart && !held.has(row.conversationId)) this.blankedAt.set(row.conversationId, this.read);
    for (const [key, { row }] of this.rows) {
      const states = this.states.get(key) ?? [];
      if (states.at(-1)?.until !== Infinity) states.push({ row, from: this.read, until: Infinity });
      this.states.set(key, states);
    }
  }

  /** The rows after a read, as the history may still show them. */
  asOf(read: number): string[] {
    return [...this.states.values()].flatMap((states) => {
      const state = states.find(({ from, until }) => from <= read && read < until);
      if (!state) return [];
      const isBlank = state.until <= (this.blankedAt.get(state.row.conversationId) ?? 0);
      return [shown(state.row, isBlank)];
    });
  }
}

const shown = (row: Row, isBlank: boolean) =>
  JSON.stringify([
    ...[row.conversationId, row.sessionIndex, row.ticketId],
    ...(isBlank ? [null, null, null] : [row.customerName, row.rating, row.waitTimeBusinessHoursSeconds]),
  ]);

async function asOf({ query }: TestCopy, call: string): Promise<string[]> {
  const rows = await query(
    `SELECT conversation_id, session_index, ticket_id, customer_name, rating, wait_time_business_hours_seconds FROM cxp.${call}`,
  );
  const number = (value: unknown) => (value === null ? null : Number(value));
  return rows.map((row) => {
    const [id, index, ticket, name, ...figures] = Object.values(row);
    return JSON.stringify([id, number(index), number(ticket), name, ...figures.map(number)]);
  });
}

const READS = 12;

describe.each(Array.from({ length: runs(1) }, (_, n) => n))('1,000 random histories, run %i', () => {
  it('cxp.as_of has exactly the rows of every change that was read', async () => {
    const { copies, close } = await openBoth({ history: true });
    try {
      const model = new Model();
      let last = 0;
      const ids = Array.from({ length: 1_000 }, (_, n) => `c-${n}`);
      for (const [n, id] of ids.entries())
        for (const row of randomConversation(random, id, n)) model.write(row);
      for (let read = 0; read < READS; read += 1) {
        const kind = read === 0 ? 'first' : ['feed', 'feed', 'feed', 'resync', 'expired cursor'][random(5)]!;
        for (const [n, id] of ids.entries()) {
          const keys = model.keysOf(id);
          const event = read === 0 ? -1 : random(14);
          if (event === 0) for (const key of keys) model.remove(key, 'erased');
          if (event === 1) for (const key of keys) model.remove(key, 'expired');
          if (event === 2) for (const key of keys) model.remove(key, 'removed');
          if (event === 3 && keys.length > 1) model.remove(keys[random(keys.length)]!, 'removed');
          if (event === 4 || (event === 5 && keys.length === 0))
            for (const row of randomConversation(random, id, n)) model.write(row);
          if (event >= 6 && event <= 8 && keys.length > 0) {
            const { row } = model.rows.get(keys[random(keys.length)]!)!;
            model.write({ ...row, rating: random(6), customerName: `${String(row.customerName)}!` });
          }
        }
        const tail = model.since(last);
        if (kind === 'resync') {
          // Another schedule: rows look otherwise without changes of their own.
          model.change += 1;
          for (const held of model.rows.values())
            if (random(2) === 0) held.row = { ...held.row, waitTimeBusinessHoursSeconds: random(90) };
        }
        const { change } = model;
        const all = model.since(0).filter(({ op }) => op === 'upsert');
        const half = Math.floor(all.length / 2);
        for (const { store, reopen } of copies) {
          if (kind === 'feed' || kind === 'first')
            await store({ items: tail, change, ...(kind === 'first' && { startsOver: 'first_reading' }) });
          else {
            if (kind === 'resync')
              await store({ items: tail, change, cursor: `c-${last}`, isCurrent: false });
            await store({
              ...{ items: all.slice(0, half), change, cursor: 'half', isCurrent: false },
              ...{ startsOver: kind, began: change },
            });
            await reopen({});
            await store({ items: all.slice(half), change });
          }
        }
        model.remember(kind === 'expired cursor', ['resync', 'expired cursor'].includes(kind));
        last = change;
      }
      for (const copy of copies)
        for (const [read, change] of model.changes.entries()) {
          expect((await asOf(copy, `as_of(${change})`)).sort()).toEqual(model.asOf(read + 1).sort());
          // The log has a row for each read.
          const [logged] = await copy.query(
            `SELECT CAST(max(up_to_date_at) AS text) AS time FROM cxp.follow_log WHERE change = ${change}`,
          );
          const found = await asOf(copy, `as_of_time('${String(logged!.time)}')`);
          expect(found.sort()).toEqual(model.asOf(read + 1).sort());
        }
    } finally {
      await close();
    }
  }, 120_000);
});

it('a row that changed and changed back after a backup is shown as of the numbers that the restored service gives again', async () => {
  const { copies, close } = await openBoth({ views: true, history: true });
  const row = { ...randomConversation(random, 'c-1', 1)[0]!, customerName: 'Hoa' };
  const changed = (change: number, customerName: string) => ({
    items: [upsert(change, { ...row, customerName }, isoTime(1))],
    change,
  });
  for (const copy of copies) {
    await copy.store({ ...changed(1, 'Hoa'), startsOver: 'first_reading' });
    // The service is restored to change 2, and its digests equal the copy's.
    await copy.store(changed(5, 'Lan'));
    await copy.store(changed(6, 'Hoa'));
    await copy.store({ change: 2, began: 2, isCurrent: false, isResumed: true });
    await copy.store({ change: 3 });
    await copy.store(changed(4, 'Lan'));
    const namesAt = async (change: number) =>
      (await copy.query(`SELECT customer_name AS name FROM cxp.as_of(${change})`)).map(({ name }) => name);
    expect([await namesAt(3), await namesAt(4)]).toEqual([['Hoa'], ['Lan']]);
    const [ended] = await copy.query(
      'SELECT max(end_reason) AS reason FROM cxp.session_past WHERE replaced_by = 4',
    );
    expect(ended).toEqual({ reason: 'changed' });
  }
  await close();
});
