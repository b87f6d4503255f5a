import type { FastifyInstance } from 'fastify';
import { CxpClient } from '@cxp/client';

/** What the sample backend needs to call the API for its organization. */
export interface ApiAccess {
  readonly urls: {
    readonly webchat: string;
    readonly contactCenter: string;
  };
  readonly organizationId: string;
  readonly token: string;
  /** For the part that stands in for the platform's inbox. */
  readonly platformToken: string;
  /** The channel that sessions are created in. */
  readonly installedSourceId: number;
}

/**
 * The part that every integrator writes: the chat page asks its own backend for a session, and the backend creates it with
 * its API token. The page never holds a token but the session's.
 */
export function addCustomerRoutes(app: FastifyInstance, access: ApiAccess): void {
  const { installedSourceId } = access;
  const { sessions } = new CxpClient(access);

  // A shop knows its customer from a login; the sample believes the page.
  app.post<{ Body: { userId: string } }>(
    '/demo/session',
    { schema: { body: bodyOf({ userId: { type: 'string', minLength: 1, maxLength: 255 } }) } },
    ({ body: { userId } }) =>
      sessions.create({ installedSourceId, user: { id: userId, name: 'Demo customer' } }),
  );

  app.post<{ Body: { sessionId: string } }>(
    '/demo/session/refresh',
    { schema: { body: bodyOf({ sessionId: { type: 'string' } }) } },
    ({ body: { sessionId } }) => sessions.refresh(sessionId),
  );
}

/** The schema of a JSON body with exactly these required properties. */
export function bodyOf(properties: Record<string, object>): object {
  return { type: 'object', required: Object.keys(properties), properties };
}
