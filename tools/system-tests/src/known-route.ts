import type { Permission } from '@cxp/auth-headers';
import type { HttpRequest } from './http';
import { INTERNAL_WORDING, type ServiceUnderTest } from './service-under-test';
import type { Tenant } from './tenants';

/** An endpoint that is not public, and how to call it. */
export interface KnownRoute {
  readonly service: ServiceUnderTest;
  /** As the OpenAPI document writes it. */
  readonly method: string;
  readonly path: string;
  /** What an API token needs; none: customers call it with a session token. */
  readonly permission?: Permission;
  /** Whether users with an account session may call it too. */
  readonly accountSessions?: boolean;
  readonly success: number;
  /** A valid call about the tenant's own data, without the headers of a caller. */
  readonly request: (tenant: Tenant) => UnsignedRequest;
  /** Calls that reach for another organization's data, and their answers. */
  readonly reachingOut: (own: Tenant, other: Tenant) => readonly ReachingOut[];
}

/** Without the headers of a caller. */
export interface UnsignedRequest {
  readonly path: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface ReachingOut {
  readonly what: string;
  readonly request: UnsignedRequest;
  readonly status: number;
  readonly body: unknown;
}

/** The headers of a request and everything else that makes it whole. */
export function signed(
  { method }: Pick<KnownRoute, 'method'>,
  { path, contentType, body }: UnsignedRequest,
  headers: Readonly<Record<string, string>>,
): HttpRequest {
  return { method, path, headers: { ...headers, ...(contentType && { 'content-type': contentType }) }, body };
}

/** A valid call about the tenant's own data. */
export function soundRequest(route: KnownRoute, tenant: Tenant): HttpRequest {
  return signed(route, route.request(tenant), headersOf(route, tenant));
}

/** The headers of a caller that is allowed to call it. */
export function headersOf(
  { permission }: KnownRoute,
  { caller, sessionToken }: Tenant,
): Readonly<Record<string, string>> {
  return permission ? caller.headers : { authorization: `Bearer ${sessionToken}` };
}

/** How the route words what every route can answer. */
export function wordingOf({
  service,
  path,
}: KnownRoute): Pick<ServiceUnderTest, 'unauthorized' | 'permissionMissing' | 'unavailable'> {
  return path.startsWith('/internal') ? INTERNAL_WORDING : service;
}

export function routeName({ service, method, path }: KnownRoute): string {
  return `${service.name}: ${method} ${path}`;
}
