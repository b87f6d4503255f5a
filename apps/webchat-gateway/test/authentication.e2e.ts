import { ApiTokenRepository } from '@cxp/access';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import {
  createBody,
  createSession,
  postJson,
  postText,
  startWebchat,
  UNAUTHORIZED,
  webchatCaller,
} from './webchat-service';

const CREATE = '/external/sessions';
const REFRESH = '/external/sessions/refresh';

let service: TestService;
let caller: Caller;
let other: Caller;
let sessionId: string;

beforeAll(async () => {
  service = await startWebchat();
  caller = await webchatCaller(service);
  other = await webchatCaller(service);
  sessionId = (await createSession(service, caller).expect(201)).body.sessionId;
});
afterAll(() => service.stop());

// Callers that are denied: tools/security/test/access-matrix.e2e.ts.

/** A body that the endpoint accepts, so that only the headers can be the reason of a refusal. */
function soundBody(path: string): object {
  return path === CREATE ? createBody(caller) : { sessionId };
}

describe.each([
  { path: CREATE, success: 201, permission: '$webchat_session:create' as const },
  { path: REFRESH, success: 200, permission: '$webchat_session:refresh' as const },
])('POST $path', ({ path, success, permission }) => {
  const send = (headers: Record<string, string>) => postJson(service, path, headers, soundBody(path));

  it.each(['bearer', 'BEARER', 'BeArEr  '])('takes the scheme without case: %s', async (scheme) => {
    await send({ ...caller.headers, authorization: `${scheme} ${caller.token}` }).expect(success);
  });

  it('needs its own permission only', async () => {
    const { organizationId } = caller;
    const allowed = await service.caller({ organizationId, permissions: [permission] });
    await send(allowed.headers).expect(success);
  });

  it('is 401 within 5 seconds of the revocation of a token that was in use', async () => {
    const { organizationId } = caller;
    const revoked = await service.caller({ organizationId });
    await send(revoked.headers).expect(success);

    await new ApiTokenRepository(service.dataSource.manager).revoke(revoked.tokenId);
    const start = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(start + 5_000);
    const { body } = await send(revoked.headers).expect(401);
    clock.mockRestore();
    expect(body).toEqual(UNAUTHORIZED);
  });
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

describe.each([CREATE, REFRESH])('POST %s with a body that is no JSON', (path) => {
  it('is 401 all the same with a bad token', async () => {
    const headers = { ...caller.headers, authorization: 'Bearer secret' };
    expect((await postText(service, path, headers, '{"organizationId":').expect(401)).body).toEqual(
      UNAUTHORIZED,
    );
  });

  it('is 401 all the same without the permission', async () => {
    const { headers } = await service.caller({ permissions: ['$survey_link:create'] });
    expect((await postText(service, path, headers, '{"organizationId":').expect(401)).body).toEqual(
      UNAUTHORIZED,
    );
  });
});
