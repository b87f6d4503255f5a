import { oldestPostgres } from '@cxp/testing/local-servers';
import { seededRandom } from '@cxp/testing';
import { expectCopyAfterFailover, type FailoverFigures, FOLLOWED } from './failed-over-follower';

const SEEDS = Array.from({ length: 50 }, (_, n) => `failover ${n}`);

describe.each(FOLLOWED)('a follower of $service.name', (followed) => {
  const figures: FailoverFigures[] = [];
  afterAll(() => {
    for (const name of ['shareRead', 'refusedAfterMs', 'hintedAfterMs'] as const) {
      const values = figures.map((one) => one[name]).sort((one, other) => one - other);
      console.log(`${followed.service.name}, ${name}: ${values.map((value) => +value.toFixed(3)).join(' ')}`);
    }
  });

  it.each(SEEDS)('is right after %s', async (seed) => {
    figures.push(await expectCopyAfterFailover(followed, seededRandom(seed), true));
  });

  it.each([true, false])('is right on PostgreSQL 15, with loss: %s', async (isLossy) => {
    await expectCopyAfterFailover(followed, seededRandom('PostgreSQL 15'), isLossy, await oldestPostgres());
  });
});
