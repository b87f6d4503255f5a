export { accessDatabase, AccessModule } from './access/access.module';
export {
  ApiToken,
  ApiTokenRepository,
  ApiTokenVerifier,
  generateApiToken,
  hashApiToken,
  isWellFormedApiToken,
  type IssuedApiToken,
} from './access/api-tokens';
export {
  AccountSessionVerifier,
  signAccountSession,
  signServiceToken,
  type AccountSessionOptions,
  type ServiceTokenKey,
} from './access/jwt';
export { Organization, OrganizationRepository } from './access/organizations';
export {
  ALL_PERMISSIONS,
  allows,
  EXTERNAL_PERMISSIONS,
  parsePermissions,
  PLATFORM_PERMISSIONS,
  type Permission,
  type Permissions,
} from './access/permissions';
export {
  authenticateCallers,
  Authenticator,
  bearerToken,
  confirmStreams,
  LimitedAuthentication,
  type RefusedCredentials,
} from './authentication';
export { AddRouteConfig, CheckedBy, OrganizationId, Public, RequirePermission } from './decorators';
export { OrganizationMatchGuard, PermissionGuard } from './guards';
