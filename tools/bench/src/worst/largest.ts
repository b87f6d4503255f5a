import { randomUUID } from 'node:crypto';

/** What of a JSON Schema says how large a value may be. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

/**
 * How a value is large: by the length of its texts, by the elements of its outermost or of its innermost lists, or by elements that are
 * all of a wrong type. `least`: only what is required or known.
 */
export type Shape =
  'longest texts' | 'most elements' | 'most inner elements' | 'most wrong elements' | 'least';
export const SHAPES = [
  'longest texts',
  'most elements',
  'most inner elements',
  'most wrong elements',
] as const;

export interface LargeValue {
  readonly shape: Shape;
  /** Characters of each text or elements of each list, unless the schema allows fewer. */
  readonly size: number;
  /** Numbers what has to be new in each value. */
  readonly run: number;
  /** Values of properties that name something that exists. */
  readonly known: Readonly<Record<string, unknown>>;
  /** Finds what a `$ref` names. */
  readonly resolve?: (ref: string) => Schema;
}

const FORMATS: Readonly<Record<string, () => string>> = {
  uuid: randomUUID,
  date: () => '2026-01-05',
  'date-time': () => '2026-01-05T05:00:00.000Z',
  'wall-time': () => '09:00',
};
/** One of these matches each pattern that other texts do not match. */
const MATCHES = ['09:00', '#0e6a56'];

/** @returns a value of the schema, as large as its shape says */
export function largest(schema: Schema, wanted: LargeValue): unknown {
  let made = wanted.run * 1_000_000;
  const valueOf = (given: Schema, isElement: boolean): unknown => {
    const schema = resolved(given, wanted);
    const { shape } = wanted;
    if ('const' in schema) return schema.const;
    if (schema.enum) return schema.enum[0];
    switch (kindOf(schema)) {
      case 'array':
        return Array.from({ length: countOf(schema, isElement) }, () => valueOf(schema.items ?? {}, true));
      case 'object':
        return objectOf(schema, isElement);
      case 'boolean':
        return true;
      default:
    }
    if (shape === 'most wrong elements' && isElement) return [];
    made += 1;
    if (kindOf(schema) === 'number') {
      const least = Math.max(schema.minimum ?? 0, 0);
      return least + (made % ((schema.maximum ?? Number.MAX_SAFE_INTEGER) - least));
    }
    if (schema.format) return FORMATS[schema.format]!();
    const length = Math.min(wanted.size, schema.maxLength ?? Infinity);
    const short = made.toString(36);
    const text = shape === 'longest texts' ? short.padEnd(length, 'ế').slice(0, length) : short;
    const matches = new RegExp(schema.pattern ?? '');
    return [text, ...MATCHES].find((each) => matches.test(each));
  };
  const countOf = (schema: Schema, isElement: boolean): number => {
    const isLarge = {
      'longest texts': false,
      'most elements': !isElement,
      'most inner elements': !hasElements(schema.items ?? schema.additionalProperties, wanted),
      'most wrong elements': !isElement,
      least: false,
    }[wanted.shape];
    return isLarge ? Math.min(wanted.size, schema.maxItems ?? Infinity) : 1;
  };
  const objectOf = ({ properties, required = [], ...schema }: Schema, isElement: boolean): object => {
    const members = Object.entries(properties ?? {})
      .filter(([name]) => wanted.shape !== 'least' || required.includes(name) || name in wanted.known)
      .map(([name, part]) => [name, wanted.known[name] ?? valueOf(part, isElement)]);
    if (properties) return Object.fromEntries(members) as object;
    const element = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : {};
    const names = Array.from({ length: countOf(schema, isElement) }, () => (made += 1));
    return Object.fromEntries(names.map((name) => [name.toString(36), valueOf(element, true)]));
  };
  return valueOf(schema, false);
}

/** @returns the largest size of which a value is not larger than this; undefined: the value does not grow with its size */
export function largestSize(
  make: (size: number) => unknown,
  most: { readonly bytes: number; readonly values: number },
): number | undefined {
  const isAllowed = (size: number) => {
    const text = JSON.stringify(make(size));
    return Buffer.byteLength(text) <= most.bytes && valuesIn(text) <= most.values;
  };
  const MOST = 2 ** 20;
  if (JSON.stringify(make(1)).length === JSON.stringify(make(64)).length) return undefined;
  let [allowed, refused] = [1, 2];
  while (refused < MOST && isAllowed(refused)) [allowed, refused] = [refused, refused * 2];
  while (refused - allowed > 1) {
    const middle = Math.floor((allowed + refused) / 2);
    if (isAllowed(middle)) allowed = middle;
    else refused = middle;
  }
  return allowed;
}

/** Members and elements: none of the texts that are made here has a comma. */
function valuesIn(json: string): number {
  return json.split(/[,[{]/).length;
}

function resolved(schema: Schema, wanted: LargeValue): Schema {
  const { $ref, allOf, anyOf } = schema;
  if ($ref) return resolved(wanted.resolve!($ref), wanted);
  const [first] = allOf ?? anyOf ?? [];
  return first ? resolved(first, wanted) : schema;
}

function kindOf({ type, properties, additionalProperties }: Schema): string {
  const types = [type ?? (properties || additionalProperties ? 'object' : 'string')].flat();
  const kind = ['array', 'object', 'string', 'integer', 'number', 'boolean'].find((each) =>
    types.includes(each),
  );
  return kind === 'integer' ? 'number' : (kind ?? 'string');
}

function hasElements(schema: Schema | boolean | undefined, wanted: LargeValue): boolean {
  if (typeof schema !== 'object') return false;
  const { items, properties, additionalProperties, ...rest } = resolved(schema, wanted);
  if (items || typeof additionalProperties === 'object') return true;
  if (kindOf({ ...rest, properties }) === 'object' && !properties) return true;
  return Object.values(properties ?? {}).some((part) => hasElements(part, wanted));
}
