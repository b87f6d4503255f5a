import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DependencyUnavailableError, requestMs } from '@cxp/storage';

declare module 'fastify' {
  interface FastifyRequest {
    /** Ends its work. Set by `OrganizationWorkGuard`. */
    leaveWork: (() => void) | null;
    /** Begins its work again, if its client still waits. Set by `OrganizationWorkGuard`. */
    enterWork: (() => true | Promise<true>) | null;
  }
}

/** Pieces of work of an organization that are under way in a process: requests, frames of sockets, submissions. None starts another one. */
const MAX_AT_ONCE = 6;

/**
 * Limits the work of each organization, so that one whose statements are slow, or wait for a locked table, leaves connections to the others.
 * More work waits, in the order of its arrival, and fails when the time of a request is over.
 */
class OrganizationWork {
  private readonly running = new Map<string, number>();
  private readonly waiting = new Map<string, Set<() => void>>();

  /** @returns undefined if the work has begun, else a promise that it has */
  begin(organizationId: string): Promise<void> | undefined {
    const running = this.running.get(organizationId) ?? 0;
    if (running >= MAX_AT_ONCE) return this.wait(organizationId);
    this.running.set(organizationId, running + 1);
    return undefined;
  }

  /** Ends one piece of work; the next one that waits begins. */
  end(organizationId: string): void {
    const next = this.waiting.get(organizationId)?.values().next().value;
    if (next) return next();
    const left = this.running.get(organizationId)! - 1;
    if (left > 0) this.running.set(organizationId, left);
    else this.running.delete(organizationId);
  }

  async run<Result>(organizationId: string, work: () => Promise<Result>): Promise<Result> {
    await this.begin(organizationId);
    try {
      return await work();
    } finally {
      this.end(organizationId);
    }
  }

  private wait(organizationId: string): Promise<void> {
    const waiting = this.waiting.get(organizationId) ?? new Set();
    this.waiting.set(organizationId, waiting);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        if (waiting.size === 0) this.waiting.delete(organizationId);
      };
      const begin = () => {
        leave();
        resolve();
      };
      const timer = setTimeout(() => {
        leave();
        reject(tooLate());
      }, requestMs());
      waiting.add(begin);
    });
  }
}

export const organizationWork = new OrganizationWork();

/** After the guard that authenticates: counts each request of an organization from here to its answer. */
@Injectable()
export class OrganizationWorkGuard implements CanActivate {
  canActivate(context: ExecutionContext): true | Promise<true> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const organizationId = request.principal?.organizationId;
    if (organizationId === undefined) return true;
    const reply = http.getResponse<FastifyReply>();
    request.enterWork = () => reply.raw.closed || enter(request, reply, organizationId);
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
  return (
    organizationWork.begin(organizationId)?.then(() => {
      if (!reply.sent && !reply.raw.closed) return begun();
      // Its own time ended while it waited, or its client left: nothing would end its work.
      organizationWork.end(organizationId);
      throw tooLate();
    }) ?? begun()
  );
}

function tooLate(): DependencyUnavailableError {
  return new DependencyUnavailableError('the work of the organization before it takes too long');
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

/** While it waits for its body or for a change, a request is not in work. */
export async function outsideWork<Result>(
  request: FastifyRequest,
  wait: () => Promise<Result>,
): Promise<Result> {
  request.leaveWork?.();
  const result = await wait();
  await request.enterWork?.();
  return result;
}
