export { bearerToken, readAuthHeaders, type AuthHeaders, type AuthType } from './auth-headers';
export { Authenticator } from './authenticator';
export { AuthenticationGuard } from './authentication.guard';
export { OrganizationMatchGuard, PermissionGuard } from './permission.guard';
export {
  CheckedBy,
  OrganizationId,
  principalOf,
  Public,
  RequirePermission,
  type Principal,
} from './decorators';
