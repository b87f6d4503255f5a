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

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `AuthenticationGuard`. */
    principal?: Principal;
  }
}
