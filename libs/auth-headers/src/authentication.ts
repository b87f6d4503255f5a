import type { FastifyInstance } from 'fastify';
import type { Authenticator } from './authenticator';
import type { Principal } from './decorators';
import type { FailedAuthentication } from './failed-authentication';

/**
 * Identifies the caller of each route with `@RequirePermission` before the body is read: a stranger can't make us hold one. Guards, which
 * follow the body, check the permission and the limits.
 */
export function authenticateCallers(
  fastify: FastifyInstance,
  authenticator: Authenticator,
  failures: FailedAuthentication,
): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { access } = request.routeOptions.config;
    if (!access) return done();
    const identify = () => authenticator.authenticate(request, access);
    failures.limit<Principal>(request, reply, identify).then((principal) => {
      request.principal = principal;
      request.caller = `organization:${principal.organizationId}`;
      done();
    }, done);
  });
}
