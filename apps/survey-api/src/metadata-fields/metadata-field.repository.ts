import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { lastByKey } from '@cxp/platform-records';

/** A field that links and responses can carry a value for. */
export interface MetadataField {
  readonly id: number;
  readonly name: string;
  /** What integrators and exports call it, unique in the organization. */
  readonly variable: string;
}

@Injectable()
export class MetadataFieldRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns the variable of each field of an organization by the field's id, in the order of ids */
  async listVariables(organizationId: string): Promise<Map<number, string>> {
    const fields = await this.manager.query<Pick<MetadataField, 'id' | 'variable'>[]>(
      'SELECT id::float8, variable FROM survey.metadata_field WHERE organization_id = $1 ORDER BY id',
      [organizationId],
    );
    return new Map(fields.map(({ id, variable }) => [id, variable]));
  }

  async findByIds(organizationId: string, ids: readonly number[]): Promise<Map<number, MetadataField>> {
    const fields = await this.manager.query<MetadataField[]>(
      `SELECT id::float8, name, variable
       FROM survey.metadata_field
       WHERE organization_id = $1 AND id = ANY($2::bigint[])`,
      [organizationId, ids],
    );
    return new Map(fields.map((field) => [field.id, field]));
  }

  /** @throws a violation of `metadata_field_variable_unique` when two fields would have one variable */
  async storeAll(organizationId: string, records: readonly MetadataField[]): Promise<void> {
    await this.manager.query(
      `INSERT INTO survey.metadata_field (organization_id, id, name, variable)
       SELECT $1, id, name, variable FROM json_to_recordset($2) AS record (id bigint, name text, variable text)
       ON CONFLICT (organization_id, id) DO UPDATE SET name = EXCLUDED.name, variable = EXCLUDED.variable`,
      [organizationId, JSON.stringify(lastByKey(records, ({ id }) => id))],
    );
  }
}
