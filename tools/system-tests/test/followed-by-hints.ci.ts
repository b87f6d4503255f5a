import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { accessDatabase } from '@cxp/auth-headers';
import { CxpClient } from '@cxp/client';
import { Follower, PostgresDatabase, TableCopy } from '@cxp/follower';
import { eventually } from '@cxp/service-kit/testing';
import { createTestDatabase, runs, seededRandom } from '@cxp/testing';
import { accept, startReceiver } from '@cxp/webhooks/testing';
import { startBuilt } from '../src/service-under-test';
import { postJson, postRecords } from '../src/workloads';
import { callerOf, FOLLOWED } from './failed-over-follower';
import { startOwnStores } from './own-stores';
import { ReplaceableProcess, sendUntilDone } from './replaceable-process';

const NUMBERS = 20;
const CHANGES = runs(60);

/** For the last hint, in milliseconds: a call that was under way at a kill is tried again after 15 s, a failed one after 5 s and more. */
const HINTED_WITHIN_MS = 90_000;

it.each(FOLLOWED)(
  'a follower of $service.name that reads only after hints misses nothing, through kills of both sides, and lost, doubled and reordered hints',
  async ({ service, area, first, row, removal, listed }) => {
    const random = seededRandom(`hints of ${service.name}`);
    const stores = await startOwnStores([accessDatabase, service.area]);
    const target = await createTestDatabase();
    const pool = new Pool({ connectionString: target.url });
    pool.on('error', () => undefined);
    const caller = await callerOf(stores.postgres.url);
    const receiver = await startReceiver();
    const directory = await mkdtemp(join(tmpdir(), 'cxp-hints-'));
    const NODE_EXTRA_CA_CERTS = join(directory, 'receiver.pem');
    await writeFile(NODE_EXTRA_CA_CERTS, receiver.ca);
    const environment = {
      DATABASE_URL: stores.postgres.url,
      REDIS_URL: stores.redis.url,
      NODE_EXTRA_CA_CERTS,
    };
    const served = await ReplaceableProcess.start(() => startBuilt(service, environment));
    const { organizationId, token } = caller;
    const client = () => new CxpClient({ organizationId, token, urls: { [area.urlKey]: served.url } });
    const load = (...records: object[]) => sendUntilDone(() => served.url, postRecords(caller, records));

    const happened = { reads: 0, killed: 0, lost: 0, doubled: 0, late: 0 };
    /** One read at a time. A read that fails is tried again: its hint was accepted. */
    let reading = Promise.resolve();
    const read = () => {
      reading = reading.then(async () => {
        for (let isDone = false; !isDone;) {
          const copy = new TableCopy(new PostgresDatabase(pool), area, organizationId);
          const run = new Follower(client(), copy, {
            once: true,
            verify: false,
            report: () => undefined,
          }).run();
          isDone = await run.then(
            () => true,
            () => sleep(100, false),
          );
        }
        happened.reads += 1;
      });
    };
    let losesAll = false;
    receiver.answer = (hint, response, request) => {
      const fate = losesAll ? 0 : random();
      if (fate < 0.1) {
        happened.lost += 1;
        response.destroy();
        return;
      }
      accept(hint, response, request);
      if (fate < 0.3) {
        happened.doubled += 1;
        read();
      } else if (fate < 0.5) {
        happened.late += 1;
        setTimeout(read, 2_000 * random());
        return;
      }
      read();
    };
    const killFollower = async () => {
      happened.killed += 1;
      await pool.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    };

    await load(...first, ...Array.from({ length: NUMBERS }, (_, number) => row(number, 'first')).flat());
    const path = `/external/webhook-endpoints/${randomUUID()}`;
    await sendUntilDone(() => served.url, {
      ...postJson(path, caller, { url: receiver.url }),
      method: 'PUT',
    });
    for (let change = 0; change < CHANGES; change += 1) {
      const number = Math.floor(NUMBERS * random());
      await load(...(random() < 0.2 ? [removal(number)] : row(number, `changed ${change}`)));
      if (change % 20 === 10) await served.kill();
      if (random() < 0.2) await killFollower();
      await sleep(300 * random());
    }

    // Nothing repairs what is lost of the last change but its own hint.
    losesAll = true;
    const { lost } = happened;
    await load(...row(NUMBERS, 'last'));
    await eventually(() => happened.lost > lost, HINTED_WITHIN_MS);
    losesAll = false;

    const sorted = (rows: readonly object[]) =>
      rows.map((one) => JSON.stringify(one, Object.keys(one).sort())).sort();
    const rows: object[] = [];
    for await (const one of listed(client())) rows.push(one);
    let copied: string[] = [];
    await eventually(async () => {
      await reading;
      const found = await pool.query<{ row: object }>(`SELECT "row" FROM ${area.table}`);
      copied = sorted(found.rows.map((one) => one.row));
      return String(copied) === String(sorted(rows));
    }, HINTED_WITHIN_MS).catch(() => undefined);
    expect(copied).toEqual(sorted(rows));
    expect(Object.values(happened).every((times) => times > 0)).toBe(true);

    await Promise.all([served.stop(), receiver.close()]);
    await pool.end();
    await Promise.all([stores.remove(), target.drop(), rm(directory, { recursive: true })]);
  },
  240_000,
);
