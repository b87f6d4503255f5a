import { Injectable } from '@nestjs/common';
import { lastByKey, type MetadataFieldData } from '@cxp/records';
import { bigintAsNumber, Statement, withRepository } from '@cxp/storage';
import { Column, Entity, EntityManager, PrimaryColumn, Unique } from 'typeorm';

@Entity({ schema: 'survey', name: 'metadata_field' })
// Deferred to the end of the statement, so that one batch can swap two variables.
@Unique('metadata_field_variable_unique', ['organizationId', 'variable'], {
  deferrable: 'INITIALLY IMMEDIATE',
})
export class MetadataField {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('bigint', { transformer: bigintAsNumber })
  readonly id!: number;

  @Column('text')
  readonly name!: string;

  /** Integrators and exports name the field by it; unique in the organization. */
  @Column('text')
  readonly variable!: string;

  @Column('timestamptz', { name: 'variable_since', default: () => 'clock_timestamp()' })
  readonly variableSince!: Date;

  /** Earlier variables: stored responses have them, and records may bring them again. */
  @Column('text', { name: 'former_variables', array: true, default: [] })
  readonly formerVariables!: readonly string[];
}

/** The fields that a member of a response's metadata may be of, by its name. */
export class FieldNames {
  private readonly variables: ReadonlyMap<string, Date>;
  private readonly ids = new Map<string, number[]>();

  constructor(fields: readonly MetadataField[]) {
    this.variables = new Map(fields.map(({ variable, variableSince }) => [variable, variableSince]));
    for (const { id, variable, formerVariables } of fields) {
      for (const name of new Set([variable, ...formerVariables]))
        this.ids.set(name, [...(this.ids.get(name) ?? []), id]);
    }
  }

  /** @returns undefined if it is the variable of no field */
  variableSince(name: string): Date | undefined {
    return this.variables.get(name);
  }

  /** Of the fields that have or had this variable. */
  idsOf(name: string): readonly number[] {
    return this.ids.get(name) ?? [];
  }
}

/** A field that is renamed again and again keeps so many of its names. */
const FORMER_VARIABLES = 100;

const STORE_ALL = new Statement(
  { organizationId: 'text', records: 'json' },
  {},
  `INSERT INTO survey.metadata_field (organization_id, id, name, variable)
   SELECT $organizationId, id, name, variable FROM json_to_recordset($records) AS record (id bigint, name text, variable text)
   ON CONFLICT (organization_id, id) DO UPDATE SET name = EXCLUDED.name, variable = EXCLUDED.variable,
     variable_since = CASE WHEN EXCLUDED.variable = metadata_field.variable THEN metadata_field.variable_since ELSE EXCLUDED.variable_since END,
     former_variables = CASE WHEN EXCLUDED.variable = metadata_field.variable THEN metadata_field.former_variables ELSE (
       metadata_field.variable || array_remove(metadata_field.former_variables, metadata_field.variable)
     )[1:${FORMER_VARIABLES}] END`,
);

@Injectable()
export class MetadataFieldRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns variables by field id, in the order of ids */
  async listVariables(organizationId: string): Promise<Map<number, string>> {
    const fields = await withRepository(MetadataField, this.manager, organizationId, (stored) =>
      stored.find({ where: { organizationId }, order: { id: 'ASC' } }),
    );
    return new Map(fields.map(({ id, variable }) => [id, variable]));
  }

  async names(organizationId: string): Promise<FieldNames> {
    const where = { organizationId };
    return new FieldNames(
      await withRepository(MetadataField, this.manager, organizationId, (stored) => stored.findBy(where)),
    );
  }

  /** @throws a violation of `metadata_field_variable_unique` when two fields would have one variable */
  async storeAll(organizationId: string, records: readonly MetadataFieldData[]): Promise<void> {
    const last = lastByKey(records, ({ id }) => id);
    await STORE_ALL.count(this.manager, { organizationId, records: JSON.stringify(last) });
  }
}

/**
 * Judges the whole batch, because fields may swap variables in it. Of two records with one variable the later is refused.
 * @param variables of stored fields, by field id
 * @returns the indexes of the refused records
 */
export function variableConflicts(
  records: readonly MetadataFieldData[],
  variables: ReadonlyMap<number, string>,
): Set<number> {
  const claims = new Map([...variables].map(([id, variable]) => [id, { index: -1, variable }]));
  for (const [index, { id, variable }] of records.entries()) claims.set(id, { index, variable });
  const taken = new Set<string>();
  const refused = new Set<number>();
  for (const { index, variable } of [...claims.values()].sort((left, right) => left.index - right.index)) {
    if (taken.size === taken.add(variable).size) refused.add(index);
  }
  return refused;
}
