import { Type, type TObject, type TSchema } from '@sinclair/typebox';
import { instant, optional } from './schema-parts';
import type { RecordType, RecordTypes } from './record-type';

/** The schema of `data` of a record that removes; none if records of the type can't be removed. */
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

/** The schema of one line of NDJSON, for documents: each type with `op` and `data`. */
export function lineSchema(types: RecordTypes): object {
  return {
    oneOf: Object.entries(types).flatMap(([name, type]) => {
      const removal = removalSchema(type);
      const more = type.erasable ? { reason: REASON } : {};
      return [line(name, type.data, 'upsert'), removal ? line(name, removal, 'delete', more) : []].flat();
    }),
  };
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
