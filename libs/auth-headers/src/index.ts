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
