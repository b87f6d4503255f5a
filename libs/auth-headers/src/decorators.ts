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
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExtension, ApiHeader } from '@nestjs/swagger';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import type { Permission, Permissions } from './access/permissions';

export const AUTH_TYPES = ['token', 'account'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** `own guard`: a guard of the route decides. */
export type AccessDeclaration = AccessRule | 'public' | 'own guard';

export interface AccessRule {
  readonly permission: Permission;
  readonly authTypes: readonly AuthType[];
}

/** A program with an API token, a user with an account session, or one of our services. */
export interface Principal {
  readonly organizationId: string;
  readonly authType: AuthType;
  /** The id of the API token or account, or the service's name. */
  readonly subject: string;
  readonly permissions: Permissions;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: AccessRule;
  }
  interface FastifyRequest {
    /** Set by `authenticateCallers`. */
    principal?: Principal;
  }
}

export const ACCESS_RULE = 'cxp:access-rule';

/** Accepts API tokens only, unless more `auth-type`s are named. */
export function RequirePermission(
  permission: Permission,
  authTypes: readonly AuthType[] = ['token'],
): MethodDecorator {
  const access: AccessRule = { permission, authTypes };
  return applyDecorators(
    SetMetadata(ACCESS_RULE, access),
    AddRouteConfig({ access }),
    ApiExtension('x-permission', permission),
    ApiHeader({
      name: 'organization-id',
      required: true,
      description: 'The organization identifier',
      example: 'demo',
    }),
    ApiHeader({ name: 'auth-type', required: true, enum: [...authTypes] }),
  );
}

export function Public(): CustomDecorator {
  return SetMetadata(ACCESS_RULE, 'public');
}

/** For credentials that are neither an API token nor an account session. */
export function CheckedBy(guard: Type<CanActivate>): ClassDecorator & MethodDecorator {
  return applyDecorators(SetMetadata(ACCESS_RULE, 'own guard'), UseGuards(guard));
}

/** The authenticated organization: the only one whose data the request may touch. */
export const OrganizationId = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  return principalOf(context.switchToHttp().getRequest<FastifyRequest>()).organizationId;
});

export function principalOf({ principal }: FastifyRequest): Principal {
  if (!principal) throw new Error('the route is public: it has no principal');
  return principal;
}

const CONFIG = Symbol('route config');

/** Extends the route's `config`, which Fastify's hooks read before the body arrives. Nest's own decorator would replace it. */
export function AddRouteConfig(config: FastifyContextConfig): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const all = { ...(Reflect.getMetadata(CONFIG, handler) as FastifyContextConfig | undefined), ...config };
    Reflect.defineMetadata(CONFIG, all, handler);
    RouteConfig(all)(target, key, descriptor);
  };
}
