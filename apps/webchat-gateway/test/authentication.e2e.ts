import type { Caller, TestService } from '@cxp/service-kit/testing';
import { createBody, postJson, startWebchat, UNAUTHORIZED, webchatCaller } from './webchat-service';

const CREATE = '/external/sessions';

let service: TestService;
let caller: Caller;
let other: Caller;

beforeAll(async () => {
  service = await startWebchat();
  caller = await webchatCaller(service);
  other = await webchatCaller(service);
});
afterAll(() => service.stop());

// Callers that are denied: tools/security/test/access-matrix.e2e.ts.

it.each(['bearer', 'BEARER', 'BeArEr  '])('the scheme is taken without case: %s', async (scheme) => {
  const headers = { ...caller.headers, authorization: `${scheme} ${caller.token}` };
  await postJson(service, CREATE, headers, createBody(caller)).expect(201);
});

describe("an organizationId in A1's body", () => {
  const send = (body: unknown) => postJson(service, CREATE, caller.headers, body);

  it.each<[string, object]>([
    ['of another organization', {}],
    [
      'of another organization, with everything else wrong too',
      { installedSourceId: 'x', user: { id: '', name: 5 } },
    ],
    ['of another organization, with text that is not Unicode', { user: { name: '\ud800' } }],
  ])('%s is 401 before any other problem of the body', async (_, rest) => {
    const { body } = await send({
      ...createBody(caller),
      ...rest,
      organizationId: other.organizationId,
    }).expect(401);
    expect(body).toEqual(UNAUTHORIZED);
  });

  it('is compared as it is: spaces make another organization', async () => {
    await send({ ...createBody(caller), organizationId: ` ${caller.organizationId} ` }).expect(401);
  });
});
