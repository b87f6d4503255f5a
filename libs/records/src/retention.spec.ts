import { DataSource } from 'typeorm';
import { createTestDatabase, eventually, type TestDatabase } from '@cxp/testing';
import { type ExpiringData, RetentionJob } from './retention';

describe('RetentionJob', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  beforeAll(async () => {
    database = await createTestDatabase();
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
  });

  /** The job of a process, in which these organizations have something that has expired. */
  function jobOf(organizationIds: readonly string[], remove: ExpiringData['remove']): RetentionJob {
    async function* find() {
      for (const organizationId of organizationIds) yield { organizationId, ids: ['a'] };
      yield { organizationId: 'none', ids: [] };
    }
    return new RetentionJob(dataSource, { find, remove }, 1);
  }

  it('removes what has expired, and what fails holds up nothing else', async () => {
    const removed: string[] = [];
    await jobOf(['a', 'b', 'c'], async ({ organizationId }) => {
      if (organizationId === 'b') throw new Error('lock timeout');
      removed.push(organizationId);
    }).removeExpired();
    expect(removed).toEqual(['a', 'c']);
  });

  it('begins when the process starts, and ends with it', async () => {
    let removed = 0;
    const job = jobOf(['acme', 'other'], async () => void (removed += 1));
    job.onApplicationBootstrap();
    await eventually(() => Promise.resolve(removed > 0));
    await job.beforeApplicationShutdown();
    const before = removed;
    await job.removeExpired();
    expect(removed).toBe(before);
  });
});
