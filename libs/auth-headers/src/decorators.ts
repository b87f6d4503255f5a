import {
  createParamDecorator,
  SetMetadata,
  type CustomDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Permission } from '@cxp/access';
import type { AuthType } from './auth-headers';
import type { Principal } from './principal';

/** What a route asks of its caller. */
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

/** The organization that the request authenticated against: the only one whose data it may touch. */
export const OrganizationId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  return principalOf(context.switchToHttp().getRequest<FastifyRequest>()).organizationId;
});

export function principalOf(request: FastifyRequest): Principal {
  if (!request.access?.granted) throw new Error('the route is public: it has no principal');
  return request.access.principal;
}
