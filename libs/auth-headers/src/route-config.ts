import 'reflect-metadata';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyContextConfig } from 'fastify';

const CONFIG = Symbol('route config');

/**
 * Adds to the `config` of a handler's route, which hooks of Fastify read: what has to be known before the body of a request comes. Nest's own
 * decorator replaces it.
 */
export function AddRouteConfig(config: FastifyContextConfig): MethodDecorator {
  return (target, key, descriptor) => {
    const handler = descriptor.value as object;
    const all = { ...(Reflect.getMetadata(CONFIG, handler) as FastifyContextConfig | undefined), ...config };
    Reflect.defineMetadata(CONFIG, all, handler);
    RouteConfig(all)(target, key, descriptor);
  };
}
