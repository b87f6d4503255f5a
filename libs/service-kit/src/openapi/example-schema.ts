import type { SchemaObject } from '@nestjs/swagger';

type Kind = 'object' | 'array' | 'integer' | 'number' | 'string' | 'boolean' | 'null';

/** The schema that all of the given JSON values fit: what every object has is required. */
export function schemaOfExamples(values: readonly unknown[]): SchemaObject {
  const kinds = [...new Set(values.map(kindOf))];
  const schemas = kinds.map((kind) =>
    schemaOfKind(
      kind,
      values.filter((value) => kindOf(value) === kind),
    ),
  );
  return schemas.length === 1 ? schemas[0]! : { oneOf: schemas };
}

function schemaOfKind(kind: Kind, values: readonly unknown[]): SchemaObject {
  if (kind === 'array') {
    const items = (values as unknown[][]).flat();
    return { type: 'array', items: items.length > 0 ? schemaOfExamples(items) : {} };
  }
  if (kind !== 'object') return { type: kind };
  const objects = values as Record<string, unknown>[];
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))];
  const having = (name: string) => objects.filter((object) => name in object);
  return {
    type: 'object',
    required: names.filter((name) => having(name).length === objects.length),
    properties: Object.fromEntries(
      names.map((name) => [name, schemaOfExamples(having(name).map((object) => object[name]))]),
    ),
  };
}

function kindOf(value: unknown): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (Number.isInteger(value)) return 'integer';
  return typeof value as Kind;
}
