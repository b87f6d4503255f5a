import { createHmac } from 'node:crypto';
import { type HintHeaders, InvalidHintError, verifyHint } from '../src';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const OTHER = 'whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const HINT = {
  type: 'conversation-session-changes',
  timestamp: '2026-01-05T02:41:30.512Z',
  data: { organizationId: 'Công ty 👋', change: 1043 },
};
const BODY = JSON.stringify(HINT);

function headersOf(body: string, secrets: readonly string[], at = new Date()): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

describe('verifyHint', () => {
  it.each([[[SECRET]], [[OTHER, SECRET]], [[SECRET, OTHER]]])(
    'reads what is signed with %j',
    async (secrets) => {
      expect(await verifyHint(headersOf(BODY, secrets), BODY, SECRET)).toEqual(HINT);
    },
  );

  const signed = headersOf(BODY, [SECRET]);
  it.each<[string, HintHeaders]>([
    ['an object with names in any case', capitalized(signed)],
    ['Headers', new Headers(signed)],
    ['a Map', new Map(Object.entries(signed))],
    ['pairs', Object.entries(capitalized(signed))],
    ['lists of values', Object.fromEntries(Object.entries(signed).map(([name, value]) => [name, [value]]))],
    [
      'a signature of a later version, too',
      { ...signed, 'webhook-signature': `v1a,abc ${signed['webhook-signature']}` },
    ],
  ])('reads headers as %s', async (_, headers) => {
    expect(await verifyHint(headers, BODY, SECRET)).toEqual(HINT);
  });

  it('reads a body of bytes, and a secret as it is in a file', async () => {
    expect(await verifyHint(signed, new TextEncoder().encode(BODY), `${SECRET}\n`)).toEqual(HINT);
    expect(await verifyHint(signed, Buffer.from(BODY), SECRET.slice('whsec_'.length))).toEqual(HINT);
  });

  it('reads the example of Standard Webhooks', async () => {
    const clock = jest.spyOn(Date, 'now').mockReturnValue(1_614_265_330_000);
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    };
    const hint = verifyHint(headers, '{"test": 2432232314}', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    await expect(hint.finally(() => clock.mockRestore())).resolves.toEqual({ test: 2432232314 });
  });

  const UNSIGNED = 'the body, as it was passed, is not signed with the secret';
  const signedAfter = (ms: number) => headersOf(BODY, [SECRET], new Date(Date.now() + ms));
  const withHeader = (name: string, value?: string) => ({ ...signed, [`webhook-${name}`]: value });
  it.each<[string, HintHeaders, string]>([
    ['another secret', headersOf(BODY, [OTHER]), UNSIGNED],
    ['another body', headersOf(BODY.replace('1043', '1044'), [SECRET]), UNSIGNED],
    ['another id', withHeader('id', 'msg_2'), UNSIGNED],
    ['no headers', {}, 'the header webhook-id is missing'],
    ['no time', withHeader('timestamp'), 'the header webhook-timestamp is missing'],
    ['no signature', withHeader('signature', ''), 'the header webhook-signature is missing'],
    [
      'signatures that are none',
      { ...signed, 'webhook-signature': ['v1,a', 'v1,§ v1, v1'] },
      'webhook-signature holds no signature of version v1',
    ],
    ['a time long ago', signedAfter(-400_000), 'the hint is older than 300 s'],
    ['a time to come', signedAfter(400_000), 'the hint is of a time to come: compare the clocks'],
    ['a time that is none', withHeader('timestamp', 'now'), 'webhook-timestamp is no time in Unix seconds'],
  ])('refuses one with %s', async (_, headers, reason) => {
    await expect(verifyHint(headers, BODY, SECRET)).rejects.toThrow(new InvalidHintError(reason));
  });

  it.each(['', 'whsec_', 'whsec_§'])('has no use for the secret %j', async (secret) => {
    await expect(verifyHint(signed, BODY, secret)).rejects.toThrow(TypeError);
  });
});

function capitalized(headers: Record<string, string>): Record<string, string> {
  const upper = (name: string) => name.replace(/\b\w/g, (letter) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [upper(name), value]));
}
