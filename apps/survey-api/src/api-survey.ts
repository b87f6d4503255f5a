import { tokenEnvelope, type Problem } from '@cxp/error-envelopes';
import { ApiExternal } from '@cxp/service-kit';

/**
 * Documents what the operations of area C share: headers, and the answers to callers that are unknown, may not call, or
 * call too often.
 * @param problems what else can go wrong, by the words that say when
 */
export function ApiSurvey(problems: Readonly<Record<string, Problem>>): MethodDecorator {
  return ApiExternal({
    envelope: tokenEnvelope,
    authTypes: ['token'],
    problems: {
      'missing or invalid token': { code: 'unauthenticated' },
      'the token lacks the permission': { code: 'permission_missing' },
      ...problems,
      'rate limit exceeded': { code: 'rate_limited', retryAfterSeconds: 1 },
    },
  });
}
