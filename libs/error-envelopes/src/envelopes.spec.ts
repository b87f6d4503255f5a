import { commonEnvelope, detailEnvelope, messageEnvelope, type Envelope } from './envelopes';
import type { Problem } from './problem';

const ITEMS = [
  { loc: ['body', 'name'], msg: 'Field required', type: 'missing' },
  { loc: ['body', 'age'], msg: 'age must be an integer number', type: 'int_type' },
];

/** One of each kind: the compiler points here when a kind is added. */
const PROBLEMS: { readonly [Code in Problem['code']]: Extract<Problem, { code: Code }> } = {
  unauthenticated: { code: 'unauthenticated', reason: 'missing_header', header: 'organization-id' },
  permission_missing: { code: 'permission_missing', permission: '$survey_link:create' },
  rate_limited: { code: 'rate_limited', limit: 'at_once', retryAfterSeconds: 7 },
  organization_mismatch: { code: 'organization_mismatch' },
  invalid: { code: 'invalid', items: ITEMS },
  threshold_exceeded: { code: 'threshold_exceeded', model: 'survey_link', threshold: 50 },
  resource_not_found: { code: 'resource_not_found', model: 'survey_campaign', id: 'c-1' },
  cursor_expired: { code: 'cursor_expired' },
  gone: { code: 'gone', message: 'Survey closed' },
  route_not_found: { code: 'route_not_found' },
  method_not_allowed: { code: 'method_not_allowed', allow: ['GET', 'HEAD'] },
  request_malformed: { code: 'request_malformed', status: 400, message: 'bad URL' },
  body_too_large: { code: 'body_too_large' },
  dependency_unavailable: { code: 'dependency_unavailable' },
  overloaded: { code: 'overloaded', retryAfterSeconds: 5 },
  unexpected: { code: 'unexpected' },
};

type Answers = Readonly<Record<Problem['code'], [status: number, body: object]>>;

const sentence = (status: number, message: string): [number, object] => [
  status,
  { message, statusCode: status },
];

const MESSAGE_ANSWERS: Answers = {
  unauthenticated: sentence(401, 'Unauthorized'),
  permission_missing: sentence(401, 'Unauthorized'),
  rate_limited: sentence(429, 'ThrottlerException: Too Many Requests'),
  organization_mismatch: sentence(401, 'Unauthorized'),
  invalid: [
    422,
    { message: ['Field required', 'age must be an integer number'], error: 'Bad Request', statusCode: 400 },
  ],
  threshold_exceeded: sentence(422, 'The limit of 50 is reached'),
  resource_not_found: sentence(404, 'survey_campaign not found'),
  cursor_expired: sentence(410, 'Cursor expired'),
  gone: sentence(410, 'Survey closed'),
  route_not_found: sentence(404, 'Not Found'),
  method_not_allowed: sentence(405, 'Method Not Allowed'),
  request_malformed: sentence(400, 'bad URL'),
  body_too_large: sentence(413, 'Payload Too Large'),
  dependency_unavailable: sentence(503, 'Service Unavailable'),
  overloaded: sentence(503, 'Service Unavailable'),
  unexpected: sentence(500, 'Internal Server Error'),
};

/** What all areas of the `detail` family say alike. */
const DETAIL_ANSWERS = {
  rate_limited: [429, { detail: 'Rate limit exceeded' }],
  organization_mismatch: [
    403,
    { detail: { message: 'organizationId does not match the authenticated organization' } },
  ],
  invalid: [422, { detail: ITEMS }],
  threshold_exceeded: [
    422,
    { detail: { message: 'threshold_exceeded', params: { model: 'survey_link', threshold: 50 } } },
  ],
  cursor_expired: [410, { detail: 'Cursor expired' }],
  gone: [410, { detail: 'Survey closed' }],
  route_not_found: [404, { detail: 'Not Found' }],
  method_not_allowed: [405, { detail: 'Method Not Allowed' }],
  request_malformed: [400, { detail: 'bad URL' }],
  body_too_large: [413, { detail: 'Payload Too Large' }],
  dependency_unavailable: [503, { detail: 'Service Unavailable' }],
  overloaded: [503, { detail: 'Service Unavailable' }],
  unexpected: [500, { detail: 'Internal Server Error' }],
} satisfies Partial<Answers>;

const TOKEN_ANSWERS: Answers = {
  ...DETAIL_ANSWERS,
  unauthenticated: [401, { detail: 'Invalid or missing token' }],
  permission_missing: [403, { detail: 'Permission denied' }],
  resource_not_found: [404, { detail: { message: 'not_found', params: { model: 'survey_campaign' } } }],
};

const ownEnvelope = detailEnvelope({
  unauthenticated: () => ({ content: { message: 'Unauthorized' } }),
  permission_missing: () => ({ status: 401, content: { message: 'Unauthorized' } }),
  resource_not_found: ({ model, id }) => ({ content: { message: `${model} ${id} was not found` } }),
});
const OWN_ANSWERS: Answers = {
  ...DETAIL_ANSWERS,
  unauthenticated: [401, { detail: { message: 'Unauthorized' } }],
  permission_missing: [401, { detail: { message: 'Unauthorized' } }],
  resource_not_found: [404, { detail: { message: 'survey_campaign c-1 was not found' } }],
};

describe.each<[string, Envelope, Answers]>([
  ['of the webchat endpoints', messageEnvelope, MESSAGE_ANSWERS],
  ['of the survey endpoints and record intake', commonEnvelope, TOKEN_ANSWERS],
  ['with the wording of another area', ownEnvelope, OWN_ANSWERS],
])('the envelope %s', (_, envelope, answers) => {
  it.each(Object.values(PROBLEMS))('answers $code', (problem) => {
    const [status, body] = answers[problem.code];
    expect(envelope(problem)).toMatchObject({ status, body });
    expect(envelope(problem).body).toEqual(body);
  });

  it('sends the headers that belong to an answer, and no others', () => {
    const headers = Object.fromEntries(
      Object.values(PROBLEMS).map((problem) => {
        const { status, headers: all } = envelope(problem);
        const { Link, 'WWW-Authenticate': scheme, ...own } = all;
        expect([Link, scheme]).toEqual([
          '</docs/guide#codes>; rel="help"',
          status === 401 ? 'Bearer' : undefined,
        ]);
        return [problem.code, own];
      }),
    );
    expect(headers).toEqual({
      unauthenticated: { 'X-Error-Code': 'missing_header', 'X-Error-Detail': 'organization-id' },
      permission_missing: { 'X-Error-Code': 'permission_missing', 'X-Error-Detail': '$survey_link:create' },
      rate_limited: { 'X-Error-Code': 'rate_limited', 'Retry-After': '7' },
      organization_mismatch: { 'X-Error-Code': 'organization_mismatch' },
      invalid: { 'X-Error-Code': 'invalid_request' },
      threshold_exceeded: { 'X-Error-Code': 'threshold_exceeded' },
      resource_not_found: { 'X-Error-Code': 'not_found' },
      cursor_expired: { 'X-Error-Code': 'cursor_expired' },
      gone: { 'X-Error-Code': 'gone' },
      route_not_found: { 'X-Error-Code': 'route_not_found' },
      method_not_allowed: { 'X-Error-Code': 'method_not_allowed', Allow: 'GET, HEAD' },
      request_malformed: { 'X-Error-Code': 'malformed_request' },
      body_too_large: { 'X-Error-Code': 'body_too_large' },
      dependency_unavailable: { 'X-Error-Code': 'unavailable', 'Retry-After': '1' },
      overloaded: { 'X-Error-Code': 'overloaded', 'Retry-After': '5' },
      unexpected: { 'X-Error-Code': 'internal_error' },
    });
  });
});
