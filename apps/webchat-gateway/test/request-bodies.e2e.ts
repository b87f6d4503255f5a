import type { Caller, TestService } from '@cxp/service-kit/testing';
import { badRequest, createBody, postText, startWebchat, webchatCaller } from './webchat-service';

const NOT_JSON = 'body must be valid JSON in UTF-8';
const NOT_JSON_TYPE = 'content-type must be application/json';
const TOO_DEEP = 'body must not be nested deeper than 64 levels';
const KIB = 1_024;

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startWebchat();
  caller = await webchatCaller(service);
});
afterAll(() => service.stop());

describe.each(['/external/sessions', '/external/sessions/refresh'])('the body of POST %s', (path) => {
  const send = (text: string | Buffer, headers = {}) =>
    postText(service, path, { ...caller.headers, ...headers }, text);

  it.each<[string, string | Buffer]>([
    ['missing', ''],
    ['blank', ' '],
    ['cut off', '{"organizationId":'],
    ['not JSON', 'organizationId=acme'],
    ['two values', '{}{}'],
    ['with a comment', '{} // sound otherwise'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['in UTF-16', Buffer.from('{}', 'utf16le')],
    ['with a raw control character', '{"organizationId":"a\u0001"}'],
  ])('is 422 when it is %s', async (_, text) => {
    expect((await send(text).expect(422)).body).toEqual(badRequest(NOT_JSON));
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/xml',
    'application/jsonp',
    'nonsense',
    ';',
  ])('is 422 with content-type %s', async (contentType) => {
    const { body } = await send('{}', { 'content-type': contentType }).expect(422);
    expect(body).toEqual(badRequest(NOT_JSON_TYPE));
  });

  it('is 422 without a content-type', async () => {
    const { headers } = caller;
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: Buffer.from('{}') });
    expect([answer.status, await answer.json()]).toEqual([422, badRequest(NOT_JSON_TYPE)]);
  });

  it.each([10, 1_000, 10_000, 16_000])('nested %i deep is 422', async (depth) => {
    const arrays = '['.repeat(depth) + ']'.repeat(depth);
    const { body } = await send(`{"user":${arrays},"sessionId":${arrays}}`);
    expect(body).toMatchObject({ error: 'Bad Request', statusCode: 400 });
    if (depth > 64) expect(body).toEqual(badRequest(TOO_DEEP));
  });

  it('over 64 KiB is 413, however it is sent', async () => {
    const tooLarge = { status: 413, body: { message: 'Payload Too Large', statusCode: 413 } };
    const text = JSON.stringify({ padding: 'x'.repeat(64 * KIB) });
    expect(await send(text)).toMatchObject(tooLarge);
    expect(await sendInChunks(path, text)).toEqual(tooLarge);
    expect(await sendInChunks(path, 'x'.repeat(1_000 * KIB))).toEqual(tooLarge);
  });

  it('of exactly 64 KiB is read; a byte more is not', async () => {
    const padded = (bytes: number) => `{"padding":"${'x'.repeat(bytes - '{"padding":""}'.length)}"}`;
    await send(padded(64 * KIB)).expect(422);
    await send(padded(64 * KIB + 1)).expect(413);
  });
});

describe('the body of A1', () => {
  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=UTF-8'])(
    'is taken with content-type %s',
    async (contentType) => {
      const headers = { ...caller.headers, 'content-type': contentType };
      await postText(service, '/external/sessions', headers, JSON.stringify(createBody(caller))).expect(201);
    },
  );

  it('may escape every character, which does not count against its limit', async () => {
    const padding = '\\ud83d\\ude00'.repeat(10_000);
    const text = JSON.stringify({ ...createBody(caller), padding: 'PADDING' }).replace('PADDING', padding);
    await postText(service, '/external/sessions', caller.headers, text).expect(201);
  });

  it('cannot reach an object that it does not name', async () => {
    const polluting = `{"__proto__":{"polluted":1},"user":{"__proto__":{"id":"u"},"constructor":{"prototype":{}}},`;
    const sound = JSON.stringify(createBody(caller)).slice(1);
    const { body } = await postText(service, '/external/sessions', caller.headers, polluting + sound).expect(
      201,
    );
    expect(body.userId).toMatch(/^Webchat-/);
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});

/** Without a content-length, so that only reading can tell how long the body is. */
async function sendInChunks(path: string, text: string): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(service.url + path, {
    method: 'POST',
    headers: { ...caller.headers, 'content-type': 'application/json' },
    body: new Blob([text]).stream(),
    duplex: 'half',
  });
  return { status: answer.status, body: await answer.json() };
}
