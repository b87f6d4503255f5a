import type { Permissions } from '@cxp/access';
import type { AuthType } from './auth-headers';

/** Who is calling: a program with an API token, or a user with an account session. */
export interface Principal {
  readonly organizationId: string;
  readonly authType: AuthType;
  /** The API token's id or the account's. */
  readonly subject: string;
  readonly permissions: Permissions;
}

/** The outcome of authentication and permission check, kept on the request until its turn to be answered. */
export type Access =
  | { readonly granted: true; readonly principal: Principal }
  | { readonly granted: false; readonly reason: 'unauthenticated' }
  | { readonly granted: false; readonly reason: 'permission_missing'; readonly principal: Principal };

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `AuthenticationGuard` on every route that is not public. */
    access?: Access;
  }
}
