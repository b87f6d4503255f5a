import {
  applyDecorators,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { arrayParameter } from './array-parameter';

/** Parameters of the query that are arrays, whichever way they are written; before validation. */
export function ArrayParameters(...names: string[]): MethodDecorator {
  return applyDecorators(UseInterceptors(new ArrayParametersInterceptor(names)));
}

class ArrayParametersInterceptor implements NestInterceptor {
  constructor(private readonly names: readonly string[]) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const query = request.query as Readonly<Record<string, unknown>>;
    const arrays = this.names.map((name) => [name, arrayParameter(query, name)] as const);
    request.query = { ...query, ...Object.fromEntries(arrays) };
    return next.handle();
  }
}
