import type { OpenAPIObject } from '@nestjs/swagger';
import type { Service } from '@cxp/system-tests/services';

/** Headings of the guide, and the words that begin what they are about. */
const GUIDE = [
  'First calls',
  'The rules of every call (headers, limits, repetition)',
  'Codes (what a 401 or 422 means)',
  'Follow changes',
  'Contract notes (what to expect where the contract is silent)',
];

/** What a program that reads should know first about a service, in the form of llmstxt.org. */
export function llmsText({ area }: Service, { info, paths }: OpenAPIObject): string {
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [`- \`${method.toUpperCase()} ${path}\`: ${operation.summary ?? ''}`] : [];
    }),
  );
  return [
    `# ${info.title}`,
    '',
    `> ${info.description}`,
    '',
    'Every call carries three headers: `authorization: Bearer <API token>`, `organization-id: <your organization>`, `auth-type: token`.',
    'If a call is refused, `X-Error-Code` names the reason, and `X-Error-Detail` the header or permission that is missing.',
    'Wait as long as `Retry-After` says after a 429 or 503, then repeat the call.',
    '',
    '## Calls',
    '',
    ...calls,
    '',
    '## Documents',
    '',
    '- [OpenAPI 3.1](/docs/openapi.json): every field, error and example of the calls above',
    ...(area === 'webchat'
      ? ['- [AsyncAPI](/docs/asyncapi.json): the frames of the websocket that `websocketUrl` opens']
      : []),
    '- [The guide](/docs/guide.md): how to use all three services. Read in it, by heading:',
    ...GUIDE.map((heading) => `  - ${heading}`),
    '- [The reference](/docs): the same for people, with samples for curl, Node.js and Python',
    '',
  ].join('\n');
}
