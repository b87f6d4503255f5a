export { readAuthHeaders, type AuthHeaders, type AuthType } from './auth-headers';
export { AuthenticationGuard } from './authentication.guard';
export { AccessGuard } from './access.guard';
export { CheckedBy, OrganizationId, principalOf, Public, RequirePermission } from './decorators';
export { type Access, type Principal } from './principal';
export { routesByAccess } from './routes-by-access';
