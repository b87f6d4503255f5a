import { Webhook } from 'standardwebhooks';
import { freePort } from '@cxp/testing/local-servers';
import { HintReceiver } from './hint-receiver';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const BODY = '{"type":"survey-response-changes","data":{"organizationId":"demo","change":7}}';

let receiver: HintReceiver;
let port: number;

beforeEach(async () => {
  port = await freePort();
  receiver = await HintReceiver.listen(port, SECRET);
});
afterEach(() => receiver.close());

async function send(body: string, secret = SECRET): Promise<number> {
  const now = new Date();
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  };
  return (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).status;
}

it('wakes a follower, also one that was reading when the hint came', async () => {
  const first = receiver.next();
  expect(await send(BODY)).toBe(204);
  await first;
  expect(await send(BODY)).toBe(204);
  await receiver.next();
  const third = receiver.next();
  expect(await Promise.race([third, Promise.resolve('waits')])).toBe('waits');
  expect(await send(BODY)).toBe(204);
  await third;
});

it('wakes nobody for what is not signed or too large, and a follower reads now and then without hints', async () => {
  const next = receiver.next(300);
  const startedAt = performance.now();
  expect(await send(BODY, 'whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=')).toBe(401);
  expect(await send('x'.repeat(10_000))).toBe(413);
  await next;
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(290);
});
