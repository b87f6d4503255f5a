export { accessDatabase } from './access/database';
export { AccessModule, type AccessOptions } from './access/access.module';
export {
  AccountSessionVerifier,
  signAccountSession,
  type AccountSession,
  type AccountSessionKey,
  type AccountSessionOptions,
} from './access/account-sessions/account-session';
export { generateApiToken, hashApiToken, isWellFormedApiToken } from './access/api-tokens/api-token-format';
export { ApiToken } from './access/api-tokens/api-token.entity';
export {
  ApiTokenRepository,
  type IssuedApiToken,
  type NewApiToken,
} from './access/api-tokens/api-token.repository';
export { ApiTokenVerifier } from './access/api-tokens/api-token-verifier';
export { Organization } from './access/organizations/organization.entity';
export { OrganizationRepository } from './access/organizations/organization.repository';
export {
  ALL_PERMISSIONS,
  EXTERNAL_PERMISSIONS,
  PLATFORM_PERMISSIONS,
  allows,
  isPermissions,
  parsePermissions,
  type Permission,
  type Permissions,
} from './access/permissions';
export {
  SERVICE_PERMISSION,
  ServiceTokenVerifier,
  signServiceToken,
  type ServiceTokenKey,
} from './access/service-tokens/service-token';
export {
  authenticateCallers,
  Authenticator,
  bearerToken,
  FailedAuthentication,
  readAuthHeaders,
  type AuthHeaders,
  type AuthType,
  type RefusedCredentials,
} from './authentication';
export { confirmStreams } from './confirm-streams';
export { OrganizationMatchGuard, PermissionGuard } from './guards';
export {
  AddRouteConfig,
  CheckedBy,
  OrganizationId,
  principalOf,
  Public,
  RequirePermission,
  type Principal,
} from './decorators';
