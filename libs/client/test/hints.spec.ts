import { Webhook } from 'standardwebhooks';
import { InvalidHintError, verifyHint } from '../src';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const OTHER = 'whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const HINT = {
  type: 'conversation-session-changes',
  timestamp: '2026-01-05T02:41:30.512Z',
  data: { organizationId: 'Công ty 👋', change: 1043 },
};
const BODY = JSON.stringify(HINT);

function headersOf(body: string, secrets: readonly string[], at = new Date()): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign('msg_1', at, body)).join(' '),
  };
}

describe('verifyHint', () => {
  it.each([[[SECRET]], [[OTHER, SECRET]], [[SECRET, OTHER]]])(
    'reads what is signed with %j',
    async (secrets) => {
      expect(await verifyHint(headersOf(BODY, secrets), BODY, SECRET)).toEqual(HINT);
    },
  );

  it.each<[string, Record<string, string | string[]>, string]>([
    ['another secret', headersOf(BODY, [OTHER]), BODY],
    ['another body', headersOf(BODY, [SECRET]), BODY.replace('1043', '1044')],
    ['another id', { ...headersOf(BODY, [SECRET]), 'webhook-id': 'msg_2' }, BODY],
    ['no headers', {}, BODY],
    ['no signature', { ...headersOf(BODY, [SECRET]), 'webhook-signature': '' }, BODY],
    [
      'two signatures as a list',
      { ...headersOf(BODY, [SECRET]), 'webhook-signature': ['v1,a', 'v1,b'] },
      BODY,
    ],
    [
      'a signature that is no base64',
      { ...headersOf(BODY, [SECRET]), 'webhook-signature': 'v1,§ v1, v1' },
      BODY,
    ],
    ['a time long ago', headersOf(BODY, [SECRET], new Date(Date.now() - 400_000)), BODY],
    ['a time to come', headersOf(BODY, [SECRET], new Date(Date.now() + 400_000)), BODY],
    ['a time that is none', { ...headersOf(BODY, [SECRET]), 'webhook-timestamp': 'now' }, BODY],
  ])('refuses one with %s', async (_, headers, body) => {
    await expect(verifyHint(headers, body, SECRET)).rejects.toThrow(InvalidHintError);
  });
});
