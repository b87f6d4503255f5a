import type { Permissions } from '@cxp/access';
import type { AuthType } from './auth-headers';

/** The caller: a program with an API token, a user with an account session, or a service of ours. */
export interface Principal {
  readonly organizationId: string;
  readonly authType: AuthType;
  /** The API token's id, the account's, or the name of the service. */
  readonly subject: string;
  readonly permissions: Permissions;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `AuthenticationGuard`. */
    principal?: Principal;
  }
}
