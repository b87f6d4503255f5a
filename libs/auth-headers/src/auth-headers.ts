import type { IncomingHttpHeaders } from 'node:http';

export const AUTH_TYPES = ['token', 'account'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** What the three headers that every endpoint requires say, before any of it is believed. */
export interface AuthHeaders {
  readonly token: string;
  readonly organizationId: string;
  readonly authType: AuthType;
}

const BEARER = /^bearer +(\S+) *$/i;

/** @returns undefined when one of `authorization`, `organization-id`, `auth-type` is missing or malformed */
export function readAuthHeaders(headers: IncomingHttpHeaders): AuthHeaders | undefined {
  const token = BEARER.exec(headers.authorization ?? '')?.[1];
  const organizationId = singleValue(headers['organization-id'])?.trim();
  const authType = AUTH_TYPES.find((type) => type === singleValue(headers['auth-type'])?.trim());
  return token && organizationId && authType ? { token, organizationId, authType } : undefined;
}

function singleValue(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
