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

/** Exchanges of all tests are compared with the document, and the committed one with that of the code. */
it('the OpenAPI document has every field of a row, required, with the type of the contract', async () => {
  const { components } = (await describeService(AppModule)) as unknown as {
    components: { schemas: Record<string, Schema> };
  };
  const row = components.schemas.ConversationSessionResponse!;
  const types = Object.entries(row.properties!).map(([name, of]) => [name, typeOf(of)]);
  expect(Object.fromEntries(types)).toEqual(CONTRACT_FIELDS);
  expect(row.required).toEqual(Object.keys(CONTRACT_FIELDS));
});

function typeOf({ type, format, nullable }: Schema): string {
  const [first] = [type].flat();
  const orNull = nullable || [type].flat().includes('null') ? ' or null' : '';
  return `${format ?? first}${orNull}`;
}
