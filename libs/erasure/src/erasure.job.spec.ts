import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@cxp/service-kit/testing';
import { LetterArea, letterDatabase, type LetterDatabase } from '../test/letter-area';
import type { Expired, ExpiringData } from './erasure-area';
import { ErasureJob } from './erasure.job';
import { ErasureService } from './erasure.service';

describe('ErasureJob', () => {
  let database: LetterDatabase;
  beforeAll(async () => {
    database = await letterDatabase();
  });
  afterAll(() => database.drop());

  /** The job of a process, in which these organizations have something that has expired. */
  function jobOf(organizationIds: readonly string[], remove: ExpiringData['remove']): ErasureJob {
    const { dataSource } = database;
    async function* find(): AsyncGenerator<Expired> {
      for (const organizationId of organizationIds) yield { organizationId, ids: ['a'] };
      yield { organizationId: 'none', ids: [] };
    }
    const area = Object.assign(new LetterArea(dataSource), { expiring: { keptDays: 1, find, remove } });
    return new ErasureJob(dataSource, area, new ErasureService(dataSource, area, dataSource));
  }

  it('removes what has expired, and what fails holds up nothing else', async () => {
    const removed: string[] = [];
    await jobOf(['a', 'b', 'c'], async ({ organizationId }) => {
      if (organizationId === 'b') throw new Error('lock timeout');
      removed.push(organizationId);
    }).removeExpired();
    expect(removed).toEqual(['a', 'c']);
  });

  it('removes in one process at a time', async () => {
    let [atOnce, most, steps] = [0, 0, 0];
    const remove = async () => {
      most = Math.max(most, ++atOnce);
      steps += 1;
      await sleep(50);
      atOnce -= 1;
    };
    const jobs = Array.from({ length: 3 }, () => jobOf(['a', 'b', 'c'], remove));
    await Promise.all(jobs.map((job) => job.removeExpired()));
    expect(most).toBe(1);
    // The others have left it to the first.
    expect(steps).toBe(3);
  });

  it('does both when it starts, and ends with the process', async () => {
    await database.store('acme', { a: 'hoa@example.com' });
    const { dataSource } = database;
    await dataSource.query(
      `INSERT INTO letter.erasure (organization_id, id, subject)
       VALUES ('acme', gen_random_uuid(), '{"userIds": [], "phones": [], "emails": ["hoa@example.com"]}')`,
    );
    let removed: () => void;
    const isRemoved = new Promise<void>((resolve) => (removed = resolve));
    const job = jobOf(['acme'], async () => removed());
    job.onApplicationBootstrap();
    await isRemoved;
    await eventually(async () => Object.keys(await database.letters('acme')).length === 0);
    await job.beforeApplicationShutdown();
  });
});
