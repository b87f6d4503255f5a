import { problemHeaders, PROBLEMS, type Problem } from './problem';

export interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
}

export type Envelope = (problem: Problem) => ErrorAnswer;

interface Wording {
  readonly content?: string | object;
  readonly status?: number;
}

export type WordingByProblem = {
  readonly [Code in Problem['code']]?: (problem: Extract<Problem, { code: Code }>) => Wording;
};

/** The messages of problems that carry more than their code, in all areas. */
const COMMON: WordingByProblem = {
  gone: ({ message }) => ({ content: message }),
  body_too_large: ({ limit }) => ({ content: limit ?? PROBLEMS.body_too_large.text }),
  request_malformed: ({ status, message }) => ({ status, content: message }),
};

/** `{"message": …, "statusCode": …}` of the webchat endpoints. */
export const messageEnvelope = envelope(
  (content, status) =>
    // The contract's 422 with a list of sentences says 400 in its body.
    Array.isArray(content)
      ? { message: content, error: 'Bad Request', statusCode: 400 }
      : { message: content, statusCode: status },
  {
    permission_missing: () => ({ status: 401, content: 'Unauthorized' }),
    organization_mismatch: () => ({ status: 401, content: 'Unauthorized' }),
    rate_limited: () => ({ content: 'ThrottlerException: Too Many Requests' }),
    invalid: ({ items }) => ({ content: items.map(({ msg }) => msg) }),
    threshold_exceeded: ({ threshold }) => ({ content: `The limit of ${threshold} is reached` }),
    resource_not_found: ({ model }) => ({ content: `${model} not found` }),
  },
);

/** `{"detail": …}` of the conversation session, survey and intake endpoints. */
export function detailEnvelope(wordings: WordingByProblem): Envelope {
  return envelope((content) => ({ detail: content }), {
    organization_mismatch: () => ({ content: { message: PROBLEMS.organization_mismatch.text } }),
    invalid: ({ items }) => ({ content: items }),
    threshold_exceeded: ({ model, threshold }) => ({
      content: { message: PROBLEMS.threshold_exceeded.text, params: { model, threshold } },
    }),
    resource_not_found: ({ model }) => ({
      content: { message: PROBLEMS.resource_not_found.text, params: { model } },
    }),
    ...wordings,
  });
}

/** Area C, and `/internal` of every area, answer in this form. */
export const commonEnvelope = detailEnvelope({
  unauthenticated: () => ({ content: 'Invalid or missing token' }),
});

function envelope(
  bodyOf: (content: string | object, status: number) => object,
  wordings: WordingByProblem,
): Envelope {
  const worded = { ...COMMON, ...wordings } as Readonly<
    Partial<Record<Problem['code'], (problem: Problem) => Wording>>
  >;
  return (problem) => {
    const row = PROBLEMS[problem.code];
    const { status = row.status, content = row.text } = worded[problem.code]?.(problem) ?? {};
    return { status, body: bodyOf(content, status), headers: problemHeaders(problem, status) };
  };
}
