export { accessDatabase } from './database';
export { AccessModule, type AccessOptions } from './access.module';
export {
  AccountSessionVerifier,
  signAccountSession,
  type AccountSession,
  type AccountSessionKey,
  type AccountSessionOptions,
} from './account-sessions/account-session';
export { generateApiToken, hashApiToken, isWellFormedApiToken } from './api-tokens/api-token-format';
export { ApiToken } from './api-tokens/api-token.entity';
export { ApiTokenRepository, type IssuedApiToken, type NewApiToken } from './api-tokens/api-token.repository';
export { ApiTokenVerifier } from './api-tokens/api-token-verifier';
export { Organization } from './organizations/organization.entity';
export { OrganizationRepository } from './organizations/organization.repository';
export {
  ALL_PERMISSIONS,
  EXTERNAL_PERMISSIONS,
  PLATFORM_PERMISSIONS,
  allows,
  isPermissions,
  parsePermissions,
  type Permission,
  type Permissions,
} from './permissions';
export {
  SERVICE_PERMISSION,
  ServiceTokenVerifier,
  signServiceToken,
  type ServiceTokenKey,
} from './service-tokens/service-token';
