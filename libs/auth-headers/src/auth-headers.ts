import type { IncomingHttpHeaders } from 'node:http';

export const AUTH_TYPES = ['token', 'account'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** The content of the three headers that every endpoint requires. None of it is verified yet. */
export interface AuthHeaders {
  readonly token: string;
  readonly organizationId: string;
  readonly authType: AuthType;
}

const BEARER = /^bearer +(\S+) *$/i;

/** @returns which one of `authorization`, `organization-id`, `auth-type` is missing or malformed, if one is */
export function readAuthHeaders(headers: IncomingHttpHeaders): AuthHeaders | { readonly missing: string } {
  const token = bearerToken(headers);
  const organizationId = singleValue(headers['organization-id'])?.trim();
  const authType = AUTH_TYPES.find((type) => type === singleValue(headers['auth-type'])?.trim());
  if (!token) return { missing: 'authorization' };
  if (!organizationId) return { missing: 'organization-id' };
  return authType ? { token, organizationId, authType } : { missing: 'auth-type' };
}

/** The token of `authorization: Bearer <token>`; the name of the scheme is case-insensitive. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  return BEARER.exec(authorization ?? '')?.[1];
}

function singleValue(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
