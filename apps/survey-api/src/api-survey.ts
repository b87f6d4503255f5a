import { commonEnvelope, type Problem } from '@cxp/error-envelopes';
import { ApiExternal } from '@cxp/service-kit';

/**
 * Documents what all operations of area C have in common: headers, 401, 403 and 429.
 * @param problems the other problems of the operation, by their conditions
 */
export function ApiSurvey(problems: Readonly<Record<string, Problem>>): MethodDecorator {
  return ApiExternal({
    envelope: commonEnvelope,
    authTypes: ['token'],
    problems: {
      'missing or invalid token': { code: 'unauthenticated' },
      'the token lacks the permission': { code: 'permission_missing' },
      ...problems,
      'rate limit exceeded': { code: 'rate_limited', retryAfterSeconds: 1 },
    },
  });
}
