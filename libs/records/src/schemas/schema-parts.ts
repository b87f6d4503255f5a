import { Type, type Static, type TSchema, type TUnsafe } from '@sinclair/typebox';

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
