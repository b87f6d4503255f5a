import { setTimeout as sleep } from 'node:timers/promises';
import { accessDatabase } from '@cxp/auth-headers';
import { eventually } from '@cxp/service-kit/testing';
import { runs, seededRandom } from '@cxp/testing';
import { accept } from '@cxp/webhooks/testing';
import { FOLLOWED, startFollowed } from './followed-service';
import { startOwnStores } from './own-stores';

const NUMBERS = 20;
const CHANGES = runs(60);

/** For the last hint, in milliseconds: a call that was under way at a kill is tried again after 15 s, a failed one after 5 s and more. */
const HINTED_WITHIN_MS = 90_000;

it.each(FOLLOWED)(
  'a follower of $service.name that reads only after hints misses nothing, through kills of both sides, and lost, doubled and reordered hints',
  async (of) => {
    const { service, first, row, removal } = of;
    const random = seededRandom(`hints of ${service.name}`);
    const stores = await startOwnStores([accessDatabase, service.area]);
    const copy = await startFollowed(of, stores.postgres.url, { REDIS_URL: stores.redis.url });
    const { load, receiver, served } = copy;

    const happened = { reads: 0, killed: 0, lost: 0, doubled: 0, late: 0 };
    /** One read at a time. A read that fails is tried again: its hint was accepted. */
    let reading = Promise.resolve();
    const read = () => {
      reading = reading.then(async () => {
        for (let isDone = false; !isDone;) {
          isDone = await copy.follow().then(
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
      await copy.pool.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    };

    await load(...first, ...Array.from({ length: NUMBERS }, (_, number) => row(number, 'first')).flat());
    await copy.askForHints();
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

    const rows = await copy.servedRows();
    let copied: string[] = [];
    await eventually(async () => {
      await reading;
      copied = await copy.copiedRows();
      return String(copied) === String(rows);
    }, HINTED_WITHIN_MS).catch(() => undefined);
    expect(copied).toEqual(rows);
    expect(Object.values(happened).every((times) => times > 0)).toBe(true);

    await copy.remove();
    await stores.remove();
  },
  240_000,
);
