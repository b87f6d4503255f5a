import { problemHeaders, type ErrorAnswer, type ErrorBody } from './envelope';
import type { Problem } from './problem';

/** The webchat endpoints' family: `{"message": …, "statusCode": …}`. */
export function messageEnvelope(problem: Problem): ErrorAnswer {
  return { ...statusAndBody(problem), headers: problemHeaders(problem) };
}

function statusAndBody(problem: Problem): ErrorBody {
  switch (problem.code) {
    case 'unauthenticated':
    case 'permission_missing':
    case 'organization_mismatch':
      return message(401, 'Unauthorized');
    case 'rate_limited':
      return message(429, 'ThrottlerException: Too Many Requests');
    case 'invalid':
      // The contract's body says 400 under the status 422.
      return {
        status: 422,
        body: { message: problem.items.map(({ msg }) => msg), error: 'Bad Request', statusCode: 400 },
      };
    case 'threshold_exceeded':
      return message(422, `The limit of ${problem.threshold} is reached`);
    case 'resource_not_found':
      return message(404, `${problem.model} not found`);
    case 'cursor_expired':
      return message(410, 'Cursor expired');
    case 'route_not_found':
      return message(404, 'Not Found');
    case 'method_not_allowed':
      return message(405, 'Method Not Allowed');
    case 'gone':
      return message(410, problem.message);
    case 'request_malformed':
      return message(problem.status, problem.message);
    case 'body_too_large':
      return message(413, problem.limit ?? 'Payload Too Large');
    case 'dependency_unavailable':
    case 'overloaded':
      return message(503, 'Service Unavailable');
    case 'unexpected':
      return message(500, 'Internal Server Error');
  }
}

function message(status: number, text: string): ErrorBody {
  return { status, body: { message: text, statusCode: status } };
}
