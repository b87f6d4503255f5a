import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DependencyUnavailableError, Places, requestMs } from '@cxp/storage';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends its work. Set by `OrganizationWorkGuard`. */
    leaveWork: (() => void) | null;
    /** Begins its work again, if its client still waits. Set by `OrganizationWorkGuard`. */
    enterWork: (() => true | Promise<true>) | null;
  }
}

/**
 * Limits the work of each organization in a process, so that one whose statements are slow, or wait for a locked table, leaves connections to
 * the others: requests, frames of sockets, submissions. None starts another one.
 */
export const organizationWork = new Places(6);

/** After the guard that authenticates: counts each request of an organization from here to its answer. */
@Injectable()
export class OrganizationWorkGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const organizationId = request.principal?.organizationId;
    if (organizationId === undefined) return true;
    const reply = http.getResponse<FastifyReply>();
    request.enterWork = () => enter(request, reply, organizationId);
    return request.enterWork();
  }
}

function enter(request: FastifyRequest, reply: FastifyReply, organizationId: string): true | Promise<true> {
  const begun = () => {
    const leave = () => {
      if (request.leaveWork !== leave) return;
      request.leaveWork = null;
      organizationWork.end(organizationId);
    };
    request.leaveWork = leave;
    reply.raw.once('close', () => {
      // What its client did not wait for is over by then. A timer would keep a request that is answered in memory.
      if (request.leaveWork === leave) setTimeout(leave, requestMs()).unref();
    });
    return true as const;
  };
  // Its own time ended, or its client left: nothing would end its work.
  const isOver = () => reply.sent || reply.raw.closed;
  if (isOver()) return refuse();
  return (
    organizationWork.begin(organizationId)?.then(() => {
      if (!isOver()) return begun();
      organizationWork.end(organizationId);
      return refuse();
    }) ?? begun()
  );
}

function refuse(): never {
  throw new DependencyUnavailableError('the time of the request is over');
}

/** Ends the work of a request when its answer begins: an answer that is a stream is sent at the pace of its client. */
export function endWorkWithAnswer(fastify: FastifyInstance): void {
  fastify.decorateRequest('leaveWork', null);
  fastify.decorateRequest('enterWork', null);
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    request.leaveWork?.();
    done(null, payload);
  });
}

/** While it waits for its body or for a change, a request is not in work, and its time stands still. */
export async function outsideWork<Result>(
  request: FastifyRequest,
  wait: () => Promise<Result>,
): Promise<Result> {
  request.leaveWork?.();
  const result = await request.time.pausedFor(wait);
  await request.enterWork?.();
  return result;
}
