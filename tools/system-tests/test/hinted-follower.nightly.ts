import { expectFollowedThroughKills } from '../src/hinted-follower';

it('a follower that reads only after hints misses nothing, whatever is killed: ten minutes', async () => {
  await expectFollowedThroughKills(600_000);
}, 900_000);
