import { Type, type TObject, type TSchema } from '@sinclair/typebox';
import { FORMAT_PATTERNS } from './formats';
import { instant, optional } from './schema-parts';
import type { RecordType, RecordTypes } from './record-type';

/** Undefined if records of the type can't be removed. */
export function removalSchema({ data, key, removable }: RecordType): TObject | undefined {
  if (!removable || key === null) return undefined;
  const { [key]: keySchema, updatedAt } = data.properties as Record<string, TSchema>;
  return Type.Object({
    [key]: keySchema!,
    ...(updatedAt && {
      updatedAt: optional(
        instant,
        'While the removal is kept, an upsert with an older `updatedAt` than this is ignored',
      ),
    }),
  });
}

export function lineSchema(types: RecordTypes): object {
  const schema = {
    oneOf: Object.entries(types).flatMap(([name, type]) => {
      const removal = removalSchema(type);
      const more = type.erasable ? { reason: REASON } : {};
      return [line(name, type.data, 'upsert'), removal ? line(name, removal, 'delete', more) : []].flat();
    }),
  };
  return plainSchema(schema);
}

/** TypeBox's schemas hold more than JSON. */
export function plainSchema(schema: object): object {
  return JSON.parse(JSON.stringify(schema), withPattern) as object;
}

/** JSON Schema treats formats as hints, so documents get a pattern. */
function withPattern(_: string, value: unknown): unknown {
  const { format, ...schema } = (value ?? {}) as { format?: unknown };
  if (typeof format !== 'string') return value;
  return { ...schema, ...(format !== 'wall-time' && { format }), pattern: FORMAT_PATTERNS[format] };
}

const REASON = {
  type: 'string',
  enum: ['removed', 'erased'],
  default: 'removed',
  description: '`erased`: later records with this key are ignored, and so is what belongs to it',
};

function line(type: string, data: TObject, op: 'upsert' | 'delete', more: object = {}): object {
  return {
    type: 'object',
    title: op === 'upsert' ? type : `${type}, removal`,
    required: ['type', 'data', ...(op === 'delete' ? ['op'] : [])],
    properties: {
      type: { type: 'string', const: type },
      op: { type: 'string', const: op, ...(op === 'upsert' && { default: op }) },
      ...more,
      data,
    },
  };
}
