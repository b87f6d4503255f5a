import { problemHeaders, type Envelope, type ErrorBody } from './envelope';
import type { Problem } from './problem';

/** What areas that share the `{"detail": …}` family word in their own way. */
export interface DetailWording {
  readonly unauthenticated: ErrorBody;
  readonly permissionMissing: ErrorBody;
  readonly resourceNotFound: (model: string, id: string) => object;
}

/** The family of the conversation session, survey and intake endpoints: `{"detail": …}`. */
export function detailEnvelope(wording: DetailWording): Envelope {
  return (problem) => ({ ...statusAndBody(problem, wording), headers: problemHeaders(problem) });
}

/** Wraps what an area puts under `detail`. */
export function detail(status: number, content: string | object): ErrorBody {
  return { status, body: { detail: content } };
}

function statusAndBody(problem: Problem, wording: DetailWording): ErrorBody {
  switch (problem.code) {
    case 'unauthenticated':
      return wording.unauthenticated;
    case 'permission_missing':
      return wording.permissionMissing;
    case 'rate_limited':
      return detail(429, 'Rate limit exceeded');
    case 'organization_mismatch':
      return detail(403, { message: 'organizationId does not match the authenticated organization' });
    case 'invalid':
      return detail(422, problem.items);
    case 'threshold_exceeded':
      return detail(422, {
        message: 'threshold_exceeded',
        params: { model: problem.model, threshold: problem.threshold },
      });
    case 'resource_not_found':
      return detail(404, wording.resourceNotFound(problem.model, problem.id));
    case 'cursor_expired':
      return detail(410, 'Cursor expired');
    case 'route_not_found':
      return detail(404, 'Not Found');
    case 'method_not_allowed':
      return detail(405, 'Method Not Allowed');
    case 'gone':
      return detail(410, problem.message);
    case 'request_malformed':
      return detail(problem.status, problem.message);
    case 'body_too_large':
      return detail(413, problem.limit ?? 'Payload Too Large');
    case 'dependency_unavailable':
    case 'overloaded':
      return detail(503, 'Service Unavailable');
    case 'unexpected':
      return detail(500, 'Internal Server Error');
  }
}
