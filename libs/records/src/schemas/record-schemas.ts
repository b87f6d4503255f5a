import { type Static, type TObject, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { FORMAT_PATTERNS } from './formats';
import type { RecordType, RecordTypes } from './record-types';

/** A key is indexed, and an index entry has to fit a page. */
export const MAX_KEY_LENGTH = 255;

/** JavaScript rounds larger integers. */
export const safeInteger = Type.Integer({
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});

export const textKey = Type.String({ minLength: 1, maxLength: MAX_KEY_LENGTH });

export const uuid = Type.String({ format: 'uuid' });

/** ISO 8601 with an offset. */
export const instant = Type.String({ format: 'date-time' });

export const calendarDate = Type.String({ format: 'date' });

export const wallTime = Type.String({ format: 'wall-time', description: '`HH:mm`' });

export const textById = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

export const anyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

export function wordOf<const Word extends string>(
  words: readonly Word[],
  description?: string,
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: [...words], ...(description && { description }) });
}

/** May be null or omitted. A list of types gives one error for a wrong value; `anyOf` would give one for each alternative. */
export function optional<Schema extends TSchema>(schema: Schema, description?: string) {
  const { type, enum: words } = schema as { type?: string; enum?: unknown[] };
  return Type.Optional(
    Type.Unsafe<Static<Schema> | null>({
      ...schema,
      ...(type && { type: [type, 'null'] }),
      ...(words && { enum: [...words, null] }),
      ...(description && { description }),
    }),
  );
}

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
