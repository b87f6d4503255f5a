import { expectDeliveredThroughKills } from '../src/killed-delivery';

it('nothing of a chat is lost, doubled or out of order in area B, whatever is killed: a minute', async () => {
  await expectDeliveredThroughKills(60_000);
}, 300_000);
