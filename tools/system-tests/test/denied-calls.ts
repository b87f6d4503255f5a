import { SignJWT } from 'jose';
import type { DataSource } from 'typeorm';
import { ALL_PERMISSIONS, ApiTokenRepository, signAccountSession, type Permission } from '@cxp/auth-headers';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { ACCOUNT_SESSION_SECRET, SESSION_TOKEN_SECRET } from '../src/service-under-test';
import type { Tenant } from '../src/tenants';

export type Headers = Readonly<Record<string, string>>;

/** The headers of a call that must be denied. */
export interface DeniedCall {
  /** What is wrong with the headers. */
  readonly fault: string;
  readonly headers: Headers;
  /** What `X-Error-Code` says, and `X-Error-Detail` after it if there is one; left out where many codes are right. */
  readonly code?: string;
}

const EVERY_PERMISSION = Object.entries(ALL_PERMISSIONS).flatMap(([resource, actions]) =>
  actions.map((action) => `${resource}:${action}` as Permission),
);

/** Calls of a route for API tokens whose authentication must fail. */
export async function deniedTokenCalls(
  dataSource: DataSource,
  own: Tenant,
  other: Tenant,
): Promise<DeniedCall[]> {
  const { headers, token, organizationId } = own.caller;
  const revoked = await issueTestToken(dataSource, { organizationId });
  await new ApiTokenRepository(dataSource.manager).revoke(revoked.tokenId);
  const expired = await issueTestToken(dataSource, { organizationId, lifetimeSeconds: -1 });
  const account = await signAccountSession(accountOf(organizationId), ACCOUNT_SESSION_SECRET, 600);

  const change = (name: string, values: readonly string[]) => [
    { fault: `no ${name}`, headers: without(headers, name), code: `missing_header ${name}` },
    ...values.map((value) => ({ fault: `${name}: ${value}`, headers: { ...headers, [name]: value } })),
  ];
  return [
    ...change('authorization', [
      '',
      'Bearer',
      'Bearer ',
      token,
      `Basic ${token}`,
      `Basic ${Buffer.from(`${organizationId}:${token}`).toString('base64')}`,
      `Bearer ${token} ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.toLowerCase()}`,
      `Bearer ${await forgottenToken(dataSource, organizationId)}`,
      `Bearer ' OR 1=1 --`,
      `Bearer ${'x'.repeat(8_000)}`,
    ]),
    ...change('organization-id', [
      '',
      ' ',
      'unknown',
      other.caller.organizationId,
      `${organizationId}, ${other.caller.organizationId}`,
      organizationId.toUpperCase(),
    ]),
    ...change('auth-type', ['', ' ', 'session', 'Token', 'token, token', 'account']),
    { fault: 'a revoked token', headers: revoked.headers, code: 'unknown_token' },
    { fault: 'an expired token', headers: expired.headers, code: 'expired_token' },
    {
      fault: 'a token of another organization',
      headers: { ...other.caller.headers, 'organization-id': organizationId },
      code: 'organization_mismatch',
    },
    { fault: 'an account session as a token', headers: { ...headers, authorization: `Bearer ${account}` } },
    { fault: 'no header at all', headers: {}, code: 'missing_header authorization' },
  ];
}

/** An account session that is sound, for routes that don't take any. */
export async function accountSession(own: Tenant): Promise<DeniedCall> {
  const session = accountOf(own.caller.organizationId);
  return asAccount('an account session', own, await signAccountSession(session, ACCOUNT_SESSION_SECRET, 600));
}

/** Calls of a route for account sessions whose authentication must fail. */
export async function deniedAccountCalls(own: Tenant, other: Tenant): Promise<DeniedCall[]> {
  const sign = (session: object, secret = ACCOUNT_SESSION_SECRET, lifetime = 600) =>
    signAccountSession({ ...accountOf(own.caller.organizationId), ...session }, secret, lifetime);
  const signed = await sign({});
  const [, payload = '', signature = ''] = signed.split('.');
  return Promise.all(
    Object.entries({
      'one that has expired': sign({}, undefined, -1),
      'one with another signature': sign({}, 'x'.repeat(32)),
      'one signed with the secret of session tokens': sign({}, SESSION_TOKEN_SECRET),
      'one that is not signed': `${encode({ alg: 'none' })}.${payload}.`,
      'one that says it is not signed': `${encode({ alg: 'none' })}.${payload}.${signature}`,
      'one that was changed': `${encode({ alg: 'HS256' })}.${encode({ sub: '1' })}.${signature}`,
      'one of another organization': sign({ organizationId: other.caller.organizationId }),
      'one without the permission': sign({ permissions: { $export_conversation_session: [] } }),
      'one with permissions of another form': sign({ permissions: 'all' }),
      'one without an expiry': new SignJWT({ organization_id: own.caller.organizationId, permissions: {} })
        .setProtectedHeader({ alg: 'HS256' })
        .setSubject('1')
        .sign(new TextEncoder().encode(ACCOUNT_SESSION_SECRET)),
      'an API token': own.caller.token,
    }).map(async ([fault, token]) => asAccount(`auth-type account: ${fault}`, own, await token)),
  );
}

/** Calls of a route for session tokens whose authentication must fail. */
export async function deniedCustomerCalls(own: Tenant): Promise<DeniedCall[]> {
  const [header = '', payload = '', signature = ''] = own.sessionToken.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
  const sign = (changed: object, secret = SESSION_TOKEN_SECRET, kid = 'current') =>
    new SignJWT({ ...claims, ...changed })
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(new TextEncoder().encode(secret));
  const tokens = {
    'one that is no token': 'x',
    'an API token': own.caller.token,
    'one that has expired': await sign({ exp: 1 }),
    'one with another signature': await sign({}, 'x'.repeat(32)),
    'one with an unknown key': await sign({}, SESSION_TOKEN_SECRET, 'unknown'),
    'one of a session that is over': await sign({ sid: 'over' }),
    'one of another organization': await sign({ organization_id: 'another' }),
    'one that is not signed': `${encode({ alg: 'none' })}.${payload}.`,
    'one that was changed': `${header}.${encode({ ...claims, sub: 'another' })}.${signature}`,
  };
  return [
    { fault: 'no authorization', headers: {}, code: 'missing_header authorization' },
    { fault: 'the headers of a backend', headers: own.caller.headers },
    ...Object.entries(tokens).map(([fault, token]) => ({
      fault: `session token: ${fault}`,
      headers: { authorization: `Bearer ${token}` },
    })),
  ];
}

/** A token that may do everything but this. */
export function callerWithout(
  permission: Permission,
  dataSource: DataSource,
  { organizationId }: Caller,
): Promise<Caller> {
  const permissions = EVERY_PERMISSION.filter((other) => other !== permission);
  return issueTestToken(dataSource, { organizationId, permissions });
}

function accountOf(organizationId: string) {
  return { accountId: '1', organizationId, permissions: ALL_PERMISSIONS };
}

function asAccount(fault: string, { caller }: Tenant, token: string): DeniedCall {
  return {
    fault,
    headers: { ...caller.headers, 'auth-type': 'account', authorization: `Bearer ${token}` },
  };
}

/** A token with a valid form and checksum that is not stored any more. */
async function forgottenToken(dataSource: DataSource, organizationId: string): Promise<string> {
  const { token, tokenId } = await issueTestToken(dataSource, { organizationId });
  await dataSource.query('DELETE FROM access.api_token WHERE organization_id = $1 AND id = $2', [
    organizationId,
    tokenId,
  ]);
  return token;
}

function without(headers: Headers, name: string): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
