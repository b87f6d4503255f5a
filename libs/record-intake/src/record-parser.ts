import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { InvalidItem } from '@cxp/error-envelopes';
import { isCalendarDate } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';
import type { NdjsonLine } from './ndjson-lines';
import { recordLoc, type PlatformRecord, type RecordArea } from './record-area';
import { isInstant, isWallTime } from './record-formats';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ESCAPE_TO_CHECK = /\\u(0000|d[89a-f])/i;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads lines into records of one area; a bad line yields everything that is wrong with it. */
export class RecordParser {
  private readonly validators: ReadonlyMap<string, ValidateFunction>;

  constructor(area: Pick<RecordArea, 'schemas'>) {
    const ajv = new Ajv({
      allErrors: true,
      strict: true,
      allowUnionTypes: true,
      coerceTypes: false,
      verbose: true,
    });
    ajv.addFormat('instant', isInstant);
    ajv.addFormat('date', isCalendarDate);
    ajv.addFormat('wall-time', isWallTime);
    ajv.addFormat('uuid', UUID);
    this.validators = new Map(
      Object.entries(area.schemas).map(([type, schema]) => [type, ajv.compile(schema)]),
    );
  }

  parse({ number: line, bytes }: NdjsonLine): PlatformRecord | readonly InvalidItem[] {
    if (!bytes) return [item(line, [], 'line is longer than 1 MiB', 'line_too_long')];
    let record: unknown;
    try {
      const text = utf8.decode(bytes);
      record = JSON.parse(text);
      const unstorable = ESCAPE_TO_CHECK.test(text) ? unstorableTextPaths(record) : [];
      if (unstorable.length > 0) {
        return unstorable.map((path) =>
          item(line, path, 'text must be Unicode without NUL', 'string_unicode'),
        );
      }
    } catch {
      return [item(line, [], 'line must be valid JSON in UTF-8', 'json_invalid')];
    }
    return this.check(line, record);
  }

  private check(line: number, record: unknown): PlatformRecord | readonly InvalidItem[] {
    if (typeof record !== 'object' || record === null || Array.isArray(record)) {
      return [item(line, [], 'record must be an object', 'dict_type')];
    }
    const { type, data } = record as { type?: unknown; data?: unknown };
    const validator = typeof type === 'string' ? this.validators.get(type) : undefined;
    if (!validator || typeof type !== 'string') {
      const known = [...this.validators.keys()].join(', ');
      return type === undefined
        ? [item(line, ['type'], 'Field required', 'missing')]
        : [item(line, ['type'], `record type must be one of: ${known}`, 'enum')];
    }
    if (data === undefined) return [item(line, ['data'], 'Field required', 'missing')];
    if (validator(data)) return { line, type, data };
    return (validator.errors ?? []).map((error) => fromAjv(line, error, data));
  }
}

function item(line: number, path: readonly (string | number)[], msg: string, type: string): InvalidItem {
  return { loc: recordLoc(line, ...path), msg, type };
}

const AJV_TYPES: Readonly<Record<string, string>> = {
  enum: 'enum',
  maxLength: 'string_too_long',
  minLength: 'string_too_short',
  maxItems: 'too_long',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
};

function fromAjv(line: number, error: ErrorObject, data: unknown): InvalidItem {
  const path = ['data', ...stepsOf(error.instancePath, data)];
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return item(line, [...path, String(params.missingProperty)], 'Field required', 'missing');
    case 'type':
      return item(
        line,
        path,
        `Input should be a valid ${[params.type].flat().join(' or ')}`,
        `${String([params.type].flat()[0])}_type`,
      );
    case 'format':
      return item(
        line,
        path,
        `Input should be a valid ${String(params.format)}`,
        `${String(params.format).replace('-', '_')}_parsing`,
      );
    case 'enum':
      return item(line, path, `Input should be one of: ${String(params.allowedValues)}`, 'enum');
    default:
      return item(
        line,
        path,
        `Input ${error.message ?? 'is invalid'}`,
        AJV_TYPES[error.keyword] ?? 'value_error',
      );
  }
}

/** The steps of a JSON pointer; those into an array are numbers, those into an object are names, digits or not. */
function stepsOf(pointer: string, data: unknown): (string | number)[] {
  let parent = data;
  return pointer
    .split('/')
    .slice(1)
    .map((escaped) => {
      const name = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
      const step = Array.isArray(parent) ? Number(name) : name;
      parent = (parent as Record<string, unknown>)[name];
      return step;
    });
}
