import { HttpException } from '@nestjs/common';
import { isDependencyUnavailable } from '@cxp/storage';
import { MAX_PROBLEMS, MAX_RECORD_PROBLEMS, ProblemError, type InvalidItem, type Problem } from './problem';

/** The problem of what was thrown. An unknown error is `unexpected`: its cause belongs in the log only. */
export function toProblem(thrown: unknown): Problem {
  if (thrown instanceof ProblemError) return answered(thrown.problem);
  if (isDependencyUnavailable(thrown)) return { code: 'dependency_unavailable' };
  if (thrown instanceof HttpException) return fromStatus(thrown.getStatus(), thrown.message);
  if (isFastifyError(thrown) && thrown.code === 'FST_ERR_HANDLER_TIMEOUT') {
    return { code: 'dependency_unavailable' };
  }
  if (isFastifyError(thrown)) return fromStatus(thrown.statusCode, thrown.message);
  return { code: 'unexpected' };
}

function answered(problem: Problem): Problem {
  return problem.code === 'invalid' ? { code: 'invalid', items: firstOf(problem.items) } : problem;
}

/** The problems that an answer lists: the first ones in the order of lines. */
function firstOf(items: readonly InvalidItem[]): InvalidItem[] {
  const ofLine = new Map<number, number>();
  return [...items]
    .sort((one, other) => (lineOf(one) ?? 0) - (lineOf(other) ?? 0))
    .filter((item) => {
      const line = lineOf(item);
      if (line === undefined) return true;
      const count = (ofLine.get(line) ?? 0) + 1;
      ofLine.set(line, count);
      return count <= MAX_RECORD_PROBLEMS;
    })
    .slice(0, MAX_PROBLEMS);
}

/** The number of the record in its body; undefined: the body is not a list of records. */
function lineOf({ loc: [, line] }: InvalidItem): number | undefined {
  return typeof line === 'number' ? line : undefined;
}

function fromStatus(status: number, message: string): Problem {
  // 414: a path parameter longer than any identifier there is.
  if (status === 404 || status === 414) return { code: 'route_not_found' };
  if (status === 413) return { code: 'body_too_large' };
  if (status >= 400 && status < 500) return { code: 'request_malformed', status, message };
  return { code: 'unexpected' };
}

function isFastifyError(thrown: unknown): thrown is { code: string; statusCode: number; message: string } {
  return (
    thrown instanceof Error &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number' &&
    'code' in thrown &&
    String(thrown.code).startsWith('FST_ERR_')
  );
}
