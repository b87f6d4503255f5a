import { randomUUID } from 'node:crypto';
import { violates } from '@cxp/storage';
import type { DataSource } from 'typeorm';
import { openSurveyDatabase } from '../../test/survey-database';
import type { MetadataFieldData } from '@cxp/records';
import { MetadataFieldRepository } from './metadata-field.repository';

let dataSource: DataSource;
let close: () => Promise<void>;
let repository: MetadataFieldRepository;
let organization: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  repository = new MetadataFieldRepository(dataSource.manager);
});

afterAll(() => close());

beforeEach(() => {
  organization = randomUUID();
});

const field = (id: number, variable: string): MetadataFieldData => ({ id, name: `Field ${id}`, variable });
const store = (records: MetadataFieldData[], owner = organization) => repository.storeAll(owner, records);

describe('MetadataFieldRepository', () => {
  it('lists the variables of the organization by field id, numerically', async () => {
    await store([field(10, 'region'), field(9, 'store'), field(9007199254740991, 'last')]);
    await store([field(1, 'region')], 'another organization');
    expect([...(await repository.listVariables(organization)).values()]).toEqual(['store', 'region', 'last']);
  });

  it('replaces a field, keeps the last of a batch, and lets one batch swap two variables', async () => {
    await store([field(1, 'a'), field(2, 'b')]);
    await store([field(1, 'c'), field(1, 'b'), field(2, 'a')]);
    expect([...(await repository.listVariables(organization)).values()]).toEqual(['b', 'a']);
  });

  it('refuses a variable that another field has', async () => {
    await store([field(1, 'store')]);
    const refusal: unknown = await store([field(2, 'store')]).catch((error: unknown) => error);
    expect(violates(refusal, 'metadata_field_variable_unique')).toBe(true);
  });
});
