import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AddRouteConfig } from '@cxp/auth-headers';
import { sendProblem, type EnvelopeOf } from '@cxp/error-envelopes';
import { DependencyUnavailableError, noteServed } from '@cxp/storage';

declare module 'fastify' {
  interface FastifyContextConfig {
    timeLimitMs?: number;
  }
  interface FastifyRequest {
    time: RequestTime;
  }
}

/** Milliseconds until the answer begins, for routes that need more than others. */
export const TimeLimit = (milliseconds: number): MethodDecorator =>
  AddRouteConfig({ timeLimitMs: milliseconds });

/** Aborts when nobody waits for the handler's work any more. */
export const Signal = createParamDecorator(
  (_: unknown, context: ExecutionContext): AbortSignal =>
    context.switchToHttp().getRequest<FastifyRequest>().time.signal,
);

/** Work fails with this when its request's signal aborts. */
const OVER = new DependencyUnavailableError('the request is over');

/** The time of a request until its answer begins. It pauses while the request waits for its client or for changes. */
export class RequestTime {
  private readonly over = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private startedAt = 0;

  constructor(
    private limitMs: number,
    private readonly onOver: () => void,
  ) {
    this.start();
  }

  /** Aborts at the end of the time, and when the answer is closed. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** Milliseconds; at least one. */
  get leftMs(): number {
    const passedMs = this.timer ? performance.now() - this.startedAt : 0;
    return Math.max(1, this.limitMs - passedMs);
  }

  /**
   * Does not count the wait.
   * @param atMostMs of waiting, in milliseconds; then the request is over
   */
  async pausedFor<Result>(wait: () => Promise<Result>, atMostMs?: number): Promise<Result> {
    this.stop();
    const limit = atMostMs && setTimeout(() => this.runOut(), atMostMs);
    try {
      return await wait();
    } finally {
      clearTimeout(limit);
      if (!this.signal.aborted) this.start();
    }
  }

  stop(): void {
    this.limitMs = this.leftMs;
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** The answer is closed, or can't be waited for. */
  end(): void {
    this.stop();
    this.over.abort(OVER);
  }

  private start(): void {
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.runOut(), this.limitMs);
  }

  private runOut(): void {
    this.end();
    this.onOver();
  }
}

/**
 * Answers 503 at the end of a request's time. Fastify's `handlerTimeout` ends with the body, so it never covers a `POST`, and
 * its `request.signal` does not wait for the answer.
 */
export function limitTimes(fastify: FastifyInstance, envelopeOf: EnvelopeOf, requestMs: number): void {
  fastify.decorateRequest('time');
  fastify.addHook('onRequest', (request, reply, done) => {
    const { timeLimitMs = 0 } = request.routeOptions.config;
    const time = new RequestTime(Math.max(timeLimitMs, requestMs), () => {
      const error = new DependencyUnavailableError('the time of the request is over');
      sendProblem(error, envelopeOf, request, reply);
    });
    request.time = time;
    noteServed();
    reply.raw.once('close', () => {
      time.end();
      noteServed();
    });
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    request.time.stop();
    done(null, payload);
  });
}
