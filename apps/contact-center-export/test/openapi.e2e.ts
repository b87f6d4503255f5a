import { describeService } from '@cxp/service-kit';
import { AppModule } from '../src/app.module';
import { CONTRACT_FIELDS } from './contract-fields';
import { ORGANIZATION_MISMATCH, RATE_LIMITED, UNAUTHORIZED } from './contact-center-service';

interface Schema {
  type?: string | string[];
  format?: string;
  nullable?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
}
interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
  responses: Record<string, { content: Record<string, { examples?: Record<string, { value: unknown }> }> }>;
}

let paths: Record<string, { get: Operation }>;
let schemas: Record<string, Schema>;

beforeAll(async () => {
  const document = (await describeService(AppModule)) as unknown as {
    paths: typeof paths;
    components: { schemas: typeof schemas };
  };
  ({ paths } = document);
  ({ schemas } = document.components);
});

const LIST = '/external/conversation-sessions';
const GET = '/external/conversation-sessions/{conversationId}';
const CHANGES = '/external/conversation-session-changes';
const DIGESTS = '/external/conversation-session-digests';

describe('the OpenAPI document', () => {
  it('has the endpoints and nothing internal', () => {
    expect(Object.keys(paths).filter((path) => !/^\/(health|metrics)/.test(path))).toEqual([
      LIST,
      GET,
      `${GET}/explanation`,
      CHANGES,
      DIGESTS,
      '/external/erasures',
      '/external/erasures/again',
      '/external/erasures/{id}',
      '/external/webhook-endpoints/{id}',
      '/external/webhook-endpoints',
      '/external/webhook-endpoints/{id}/secret',
      '/external/webhook-endpoints/{id}/test',
    ]);
  });

  it('has every field of a row, required, with the type of the contract', () => {
    const row = schemas.ConversationSessionResponse!;
    expect(
      Object.fromEntries(Object.entries(row.properties!).map(([name, of]) => [name, typeOf(of)])),
    ).toEqual(CONTRACT_FIELDS);
    expect(row.required).toEqual(Object.keys(CONTRACT_FIELDS));
  });

  it("has B1's parameters as the contract has them", () => {
    const parameters = paths[LIST]!.get.parameters.filter((parameter) => parameter.in === 'query');
    expect(parameters.map(({ name, required, schema }) => [name, required, schema.default]).sort()).toEqual(
      expect.arrayContaining([
        ['assigneeAccountIds', false, undefined],
        ['cursor', false, undefined],
        ['endDate', true, undefined],
        ['organizationId', false, undefined],
        ['page', false, 1],
        ['perPage', false, 50],
        ['sessionAgentEmails', false, undefined],
        ['sessionEndReasons', false, undefined],
        ['startDate', true, undefined],
        ['timezone', false, 'Asia/Singapore'],
      ]),
    );
    expect(parameters.find(({ name }) => name === 'perPage')?.schema).toMatchObject({
      minimum: 1,
      maximum: 100,
    });
  });

  it.each([LIST, GET, CHANGES, DIGESTS])(
    'has every status of %s, with the bodies of the contract as examples',
    (path) => {
      const { responses, parameters } = paths[path]!.get;
      const statuses = ['200', '401', '403', '422', '429', '500', '503'];
      if (path === GET) statuses.push('404');
      if (path === CHANGES) statuses.push('410');
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(statuses));
      const examples = (status: number) =>
        Object.values(responses[status]!.content['application/json']!.examples!).map(({ value }) => value);
      expect(examples(401)).toEqual([UNAUTHORIZED, UNAUTHORIZED]);
      expect(examples(403)).toEqual([ORGANIZATION_MISMATCH]);
      expect(examples(429)).toEqual([RATE_LIMITED]);
      expect(parameters.filter((parameter) => parameter.in === 'header').map(({ name }) => name)).toEqual([
        'organization-id',
        'auth-type',
      ]);
    },
  );

  it('says in which formats whole windows can be had', () => {
    expect(Object.keys(paths[LIST]!.get.responses['200']!.content)).toEqual([
      'application/json',
      'application/x-ndjson',
      'text/csv',
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'application/vnd.apache.parquet',
    ]);
  });
});

function typeOf({ type, format, nullable }: Schema): string {
  const [first] = [type].flat();
  const orNull = nullable || [type].flat().includes('null') ? ' or null' : '';
  return `${format ?? first}${orNull}`;
}
