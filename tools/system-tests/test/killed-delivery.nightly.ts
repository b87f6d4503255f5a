import { expectDeliveredThroughKills } from '../src/killed-delivery';

it('nothing of a chat is lost, doubled or out of order in area B, whatever is killed: ten minutes', async () => {
  await expectDeliveredThroughKills(600_000);
}, 900_000);
