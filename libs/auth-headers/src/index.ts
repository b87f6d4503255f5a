export {
  Authenticator,
  bearerToken,
  readAuthHeaders,
  type AuthHeaders,
  type AuthType,
  type RefusedCredentials,
} from './authenticator';
export { FailedAuthentication } from './failed-authentication';
export { confirmStreams } from './confirm-streams';
export { authenticateCallers } from './authentication';
export { OrganizationMatchGuard, PermissionGuard } from './guards';
export { AddRouteConfig } from './route-config';
export {
  CheckedBy,
  OrganizationId,
  principalOf,
  Public,
  RequirePermission,
  type Principal,
} from './decorators';
