export { bearerToken, readAuthHeaders, type AuthHeaders, type AuthType } from './auth-headers';
export { Authenticator } from './authenticator';
export { AuthenticationGuard } from './authentication.guard';
export { OrganizationMatchGuard } from './organization-match.guard';
export { PermissionGuard } from './permission.guard';
export { CheckedBy, OrganizationId, principalOf, Public, RequirePermission } from './decorators';
export { type Principal } from './principal';
