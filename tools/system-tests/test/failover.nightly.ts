import { seededRandom } from '@cxp/testing';
import { expectCopyAfterFailover, FOLLOWED } from '../src/failed-over-follower';

it.each(FOLLOWED)(
  'a follower of $service.name is right after each of fifty failovers',
  async (followed) => {
    for (let n = 0; n < 50; n += 1)
      await expectCopyAfterFailover(followed, seededRandom(`failover ${n}`), true);
  },
  3_600_000,
);
