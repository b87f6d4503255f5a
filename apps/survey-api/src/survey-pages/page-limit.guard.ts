import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOfAddress, perSecondAndMinute, RedisThrottlerStorage, rejectIfOver } from '@cxp/rate-limit';
import { SurveySettings } from '../settings';

/** Counts views and answers of a client address before anything is looked up or read: a 429 costs one call of Redis and a prepared page. */
@Injectable()
export class PageLimitGuard implements CanActivate {
  constructor(
    private readonly storage: RedisThrottlerStorage,
    private readonly settings: SurveySettings,
  ) {}

  /** @throws ProblemError 429 */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { method, ip } = context.switchToHttp().getRequest<FastifyRequest>();
    const name = method === 'POST' ? 'SURVEY_PUBLIC_ADDRESS' : 'SURVEY_PUBLIC_VIEW';
    const windows = perSecondAndMinute(this.settings, name);
    rejectIfOver(await this.storage.consume(`${name}:${callerOfAddress(ip)}`, windows));
    return true;
  }
}
