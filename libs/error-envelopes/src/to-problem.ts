import { HttpException } from '@nestjs/common';
import { isDependencyUnavailable } from '@cxp/storage';
import { ProblemError, type Problem } from './problem';

/** Recognises what was thrown. Whatever nobody planned is `unexpected`: its cause belongs in the log only. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return thrown.problem;
  if (isDependencyUnavailable(thrown)) return { code: 'dependency_unavailable' };
  if (thrown instanceof HttpException) return fromStatus(thrown.getStatus(), thrown.message);
  if (isFastifyError(thrown)) return fromStatus(thrown.statusCode, thrown.message);
  return { code: 'unexpected' };
}

function fromStatus(status: number, message: string): Problem {
  // 414: a path parameter longer than any identifier there is.
  if (status === 404 || status === 414) return { code: 'route_not_found' };
  if (status === 413) return { code: 'body_too_large' };
  if (status >= 400 && status < 500) return { code: 'request_malformed', status, message };
  return { code: 'unexpected' };
}

function isFastifyError(thrown: unknown): thrown is { statusCode: number; message: string } {
  return (
    thrown instanceof Error &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number' &&
    'code' in thrown &&
    String(thrown.code).startsWith('FST_ERR_')
  );
}
