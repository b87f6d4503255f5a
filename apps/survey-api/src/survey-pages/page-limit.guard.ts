import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { rejectIfOver } from '@cxp/rate-limit';
import { PageLimiter } from './page-limiter';

/** Counts views and posts before anything is looked up or read: a 429 costs one call of Redis and a prepared page. */
@Injectable()
export class PageLimitGuard implements CanActivate {
  constructor(private readonly limiter: PageLimiter) {}

  /** @throws ProblemError 429 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { method, ip, params } = context
      .switchToHttp()
      .getRequest<FastifyRequest<{ Params: { publicId: string } }>>();
    const verdict =
      method === 'POST'
        ? await this.limiter.countPost(ip, params.publicId)
        : await this.limiter.countView(ip);
    rejectIfOver(verdict);
    return true;
  }
}
