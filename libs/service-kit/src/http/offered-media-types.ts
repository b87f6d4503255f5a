import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import { namesOnlyOtherFiles } from './preferred-media-type';

const OFFERED = Symbol('offered media types');

/** What an operation can answer, if that is not JSON only. */
export function OffersMediaTypes(types: readonly string[]): MethodDecorator {
  return SetMetadata(OFFERED, types);
}

/**
 * Refuses a call that asks for a workbook or a Parquet file where there is none: whoever asks for a file stores what comes, and JSON under such a
 * name is no file. Any other `Accept` is answered with what the operation has, as always.
 */
@Injectable()
export class OfferedMediaTypesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  /** @throws ProblemError `not_acceptable` */
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const offered = this.reflector.get<readonly string[] | undefined>(OFFERED, context.getHandler());
    if (request.principal && namesOnlyOtherFiles(request, offered ?? [])) {
      throw new ProblemError({ code: 'not_acceptable' });
    }
    return true;
  }
}
