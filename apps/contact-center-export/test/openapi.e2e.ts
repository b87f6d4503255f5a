import { describeService } from '@cxp/service-kit';
import { AppModule } from '../src/app.module';
import { CONTRACT_FIELDS } from './contract-fields';

interface Schema {
  type?: string | string[];
  format?: string;
  nullable?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
}
interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: Record<string, unknown> }[];
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

/** Exchanges of all tests are compared with the document, and the committed one with that of the code. */
describe('the OpenAPI document', () => {
  it('has every field of a row, required, with the type of the contract', () => {
    const row = schemas.ConversationSessionResponse!;
    expect(
      Object.fromEntries(Object.entries(row.properties!).map(([name, of]) => [name, typeOf(of)])),
    ).toEqual(CONTRACT_FIELDS);
    expect(row.required).toEqual(Object.keys(CONTRACT_FIELDS));
  });

  it("has B1's parameters as the contract has them", () => {
    const parameters = paths['/external/conversation-sessions']!.get.parameters.filter(
      (parameter) => parameter.in === 'query',
    );
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
});

function typeOf({ type, format, nullable }: Schema): string {
  const [first] = [type].flat();
  const orNull = nullable || [type].flat().includes('null') ? ' or null' : '';
  return `${format ?? first}${orNull}`;
}
