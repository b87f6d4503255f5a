import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyContextConfig {
    handlerTimeout?: number;
  }
}

/** How long a client may take to send a body, in milliseconds. */
const BODY_MS = 30_000;

const DAY_MS = 86_400_000;

/** For a route that waits for its client or for changes: streams, files, intakes. Its stores still have the times of a request. */
export const AtClientPace = (): MethodDecorator => RouteConfig({ handlerTimeout: DAY_MS });

/** For a route that has a body. */
export const ReceivesBody = (): MethodDecorator => RouteConfig({ handlerTimeout: BODY_MS });

/** Lets routes have their own `handlerTimeout`: Nest passes their configuration on, and no options. */
export function letRoutesSetTimeouts(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const { handlerTimeout } = route.config ?? {};
    if (handlerTimeout) route.handlerTimeout = handlerTimeout;
  });
}
