import {
  applyDecorators,
  createParamDecorator,
  SetMetadata,
  UseGuards,
  type CanActivate,
  type CustomDecorator,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Permission } from '@cxp/access';
import type { AuthType } from './auth-headers';
import type { Principal } from './principal';

/** What a route asks of its caller: an `AccessRule`, nothing, or what a guard of its own asks. */
export type AccessDeclaration = AccessRule | 'public' | 'own guard';

/** The permission that a route asks for, and of whom. */
export interface AccessRule {
  readonly permission: Permission;
  readonly authTypes: readonly AuthType[];
}

export const ACCESS_RULE = 'cxp:access-rule';

/** Lets callers with this permission through; API tokens only, unless more `auth-type`s are named. */
export function RequirePermission(
  permission: Permission,
  authTypes: readonly AuthType[] = ['token'],
): CustomDecorator {
  return SetMetadata(ACCESS_RULE, { permission, authTypes } satisfies AccessRule);
}

/** Lets everybody through: health, metrics, documents. */
export function Public(): CustomDecorator {
  return SetMetadata(ACCESS_RULE, 'public');
}

/** Leaves it to a guard of the route's own who gets through: for credentials that are no API token and no account session. */
export function CheckedBy(guard: Type<CanActivate>): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(ACCESS_RULE, 'own guard'), UseGuards(guard));
}

/** The organization that the request authenticated against: the only one whose data it may touch. */
export const OrganizationId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  return principalOf(context.switchToHttp().getRequest<FastifyRequest>()).organizationId;
});

export function principalOf(request: FastifyRequest): Principal {
  if (!request.access?.granted) throw new Error('the route is public: it has no principal');
  return request.access.principal;
}
