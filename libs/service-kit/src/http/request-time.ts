import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AddRouteConfig } from '@cxp/auth-headers';
import { sendProblem, type EnvelopeOf } from '@cxp/error-envelopes';
import { DependencyUnavailableError, requestMs } from '@cxp/storage';

declare module 'fastify' {
  interface FastifyContextConfig {
    timeLimitMs?: number;
  }
  interface FastifyRequest {
    time: RequestTime;
  }
}

/** A route that needs longer than others until its answer begins, in milliseconds. */
export const TimeLimit = (milliseconds: number): MethodDecorator =>
  AddRouteConfig({ timeLimitMs: milliseconds });

/** For a parameter of a handler: aborts when nobody waits for its work any more. The work passes it on, and looks at it. */
export const Signal = createParamDecorator(
  (_: unknown, context: ExecutionContext): AbortSignal =>
    context.switchToHttp().getRequest<FastifyRequest>().time.signal,
);

/** What work fails with that looks at the signal of its request. */
const OVER = new DependencyUnavailableError('the request is over');

/** The time of a request, which runs until its answer begins. It stands still while the request waits for its client or for changes. */
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

  /** Aborts when the time is over, and when the answer is closed. */
  get signal(): AbortSignal {
    return this.over.signal;
  }

  /** What is left of it, in milliseconds: at least one. */
  get leftMs(): number {
    const passedMs = this.timer ? performance.now() - this.startedAt : 0;
    return Math.max(1, this.limitMs - passedMs);
  }

  /**
   * Runs something that does not count.
   * @param atMostMs how long it may take until the request is over all the same, in milliseconds
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
 * Gives each request its time, and answers 503 when it is over. Fastify's `handlerTimeout` ends with the body, and so never ends a `POST`;
 * nor does its `request.signal` wait for the answer.
 */
export function limitTimes(fastify: FastifyInstance, envelopeOf: EnvelopeOf): void {
  fastify.decorateRequest('time');
  fastify.addHook('onRequest', (request, reply, done) => {
    const { timeLimitMs = 0 } = request.routeOptions.config;
    const time = new RequestTime(Math.max(timeLimitMs, requestMs()), () => {
      const error = new DependencyUnavailableError('the time of the request is over');
      sendProblem(error, envelopeOf, request, reply);
    });
    request.time = time;
    reply.raw.once('close', () => time.end());
    done();
  });
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    request.time.stop();
    done(null, payload);
  });
}
