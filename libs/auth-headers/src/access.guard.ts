import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import { accessRule } from './authentication.guard';

/** Answers those who may not; runs after the rate limits, so that failed attempts are counted. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    if (typeof accessRule(this.reflector, context) === 'string') return true;
    const { access } = context.switchToHttp().getRequest<FastifyRequest>();
    if (access?.granted) return true;
    throw new ProblemError({ code: access?.reason ?? 'unauthenticated' });
  }
}
