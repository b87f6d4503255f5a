import { ApiTokenRepository, signAccountSession } from '@cxp/access';
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
let deleted: Caller;
let sessionId: string;

beforeAll(async () => {
  service = await startWebchat();
  caller = await webchatCaller(service);
  other = await webchatCaller(service);
  deleted = await service.caller({ organizationId: caller.organizationId });
  await service.dataSource.query('DELETE FROM access.api_token WHERE id = $1', [deleted.tokenId]);
  sessionId = (await createSession(service, caller).expect(201)).body.sessionId;
});
afterAll(() => service.stop());

/** A body that the endpoint accepts, so that only the headers can be the reason of a refusal. */
function soundBody(path: string): object {
  return path === CREATE ? createBody(caller) : { sessionId };
}

describe.each([
  { path: CREATE, success: 201, permission: '$webchat_session:create' as const },
  { path: REFRESH, success: 200, permission: '$webchat_session:refresh' as const },
])('POST $path', ({ path, success, permission }) => {
  const send = (headers: Record<string, string>) => postJson(service, path, headers, soundBody(path));

  it.each<[string, (headers: Caller['headers']) => Record<string, string | undefined>]>([
    ['authorization is missing', () => ({ authorization: undefined })],
    ['authorization is blank', () => ({ authorization: ' ' })],
    ['authorization has no scheme', () => ({ authorization: caller.token })],
    ['authorization has another scheme', () => ({ authorization: `Basic ${caller.token}` })],
    ['authorization has no token', () => ({ authorization: 'Bearer' })],
    ['authorization has two tokens', () => ({ authorization: `Bearer ${caller.token} ${caller.token}` })],
    ['the token is no API token', () => ({ authorization: 'Bearer secret' })],
    ['the token is mistyped', () => ({ authorization: `Bearer ${caller.token.slice(0, -1)}~` })],
    ['the token is unknown', () => ({ authorization: deleted.headers.authorization })],
    ['the token is of another organization', () => ({ authorization: other.headers.authorization })],
    ['organization-id is missing', () => ({ 'organization-id': undefined })],
    ['organization-id is blank', () => ({ 'organization-id': ' ' })],
    ['organization-id is of another organization', () => ({ 'organization-id': other.organizationId })],
    ['organization-id differs in case', () => ({ 'organization-id': caller.organizationId.toUpperCase() })],
    ['auth-type is missing', () => ({ 'auth-type': undefined })],
    ['auth-type is unknown', () => ({ 'auth-type': 'basic' })],
    ['auth-type is account', () => ({ 'auth-type': 'account' })],
  ])('is 401 with exactly message and statusCode when %s', async (_, change) => {
    const headers = Object.entries({ ...caller.headers, ...change(caller.headers) });
    const sent = Object.fromEntries(
      headers.filter((header): header is [string, string] => header[1] !== undefined),
    );
    const { body } = await send(sent).expect(401);
    expect(body).toEqual(UNAUTHORIZED);
  });

  it('is 401 for an account session, which only area B takes', async () => {
    const { organizationId } = caller;
    const permissions = { $webchat_session: ['create', 'refresh'] };
    const jwt = await signAccountSession({ accountId: '1', organizationId, permissions }, 'x'.repeat(32), 60);
    const headers = { ...caller.headers, authorization: `Bearer ${jwt}`, 'auth-type': 'account' };
    expect((await send(headers).expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it.each(['bearer', 'BEARER', 'BeArEr  '])('takes the scheme without case: %s', async (scheme) => {
    await send({ ...caller.headers, authorization: `${scheme} ${caller.token}` }).expect(success);
  });

  it('needs its own permission and no other', async () => {
    const { organizationId } = caller;
    const otherPermission = path === CREATE ? '$webchat_session:refresh' : '$webchat_session:create';
    const allowed = await service.caller({ organizationId, permissions: [permission] });
    const denied = await service.caller({ organizationId, permissions: [otherPermission] });

    await send(allowed.headers).expect(success);
    expect((await send(denied.headers).expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it('is 401 with an expired token', async () => {
    const { organizationId } = caller;
    const expired = await service.caller({ organizationId, lifetimeSeconds: 0 });
    expect((await send(expired.headers).expect(401)).body).toEqual(UNAUTHORIZED);
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
