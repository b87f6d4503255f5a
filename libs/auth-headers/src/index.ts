export { bearerToken, readAuthHeaders, type AuthHeaders, type AuthType } from './auth-headers';
export { Authenticator } from './authenticator';
export { AccessGuard } from './access.guard';
export {
  CheckedBy,
  FollowsChanges,
  OrganizationId,
  principalOf,
  Public,
  RequirePermission,
} from './decorators';
export { type Principal } from './principal';
