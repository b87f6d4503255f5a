import { expectFollowedThroughKills } from '../src/hinted-follower';

it('a follower that reads only after hints misses nothing, whatever is killed: twenty seconds', async () => {
  await expectFollowedThroughKills(20_000);
}, 180_000);
