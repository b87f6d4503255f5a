import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { type InvalidItem, MAX_RECORD_PROBLEMS } from '@cxp/error-envelopes';
import { isCalendarDate } from '@cxp/service-kit';
import { isInstant, isUuid, isWallTime } from './formats';
import { removalSchema } from './record-schemas';
import type { PlatformRecord, RecordTypes } from './record-types';

type RecordCheckResult = { readonly record: PlatformRecord } | { readonly problems: readonly InvalidItem[] };

export class RecordCheck {
  /** Collects all errors; the body's bounds limit them. */
  private readonly ajv = new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    // Tests check our schemas.
    validateSchema: false,
  });
  private readonly checks = new Map<string, ValidateFunction | undefined>();

  constructor(private readonly types: RecordTypes) {
    this.ajv.addFormat('date-time', isInstant);
    this.ajv.addFormat('date', isCalendarDate);
    this.ajv.addFormat('wall-time', isWallTime);
    this.ajv.addFormat('uuid', isUuid);
  }

  /** @returns the record, or problems whose `loc` starts at the record */
  check(value: unknown): RecordCheckResult {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return wrong([], 'record must be an object', 'dict_type');
    }
    const { type, op = 'upsert', data, reason = 'removed' } = value as Partial<Record<string, unknown>>;
    if (typeof type !== 'string' || !Object.hasOwn(this.types, type)) {
      const known = Object.keys(this.types).join(', ');
      return type === undefined
        ? wrong(['type'], 'Field required', 'missing')
        : wrong(['type'], `record type must be one of: ${known}`, 'enum');
    }
    if (op !== 'upsert' && op !== 'delete') return wrong(['op'], 'op must be one of: upsert, delete', 'enum');
    const validate = this.checkOf(type, op);
    if (!validate) return wrong(['op'], `records of type ${type} cannot be removed`, 'enum');
    if (data === undefined) return wrong(['data'], 'Field required', 'missing');
    if (!validate(data)) {
      // A wrong name has two errors.
      const errors = validate.errors!.filter(({ keyword }) => keyword !== 'propertyNames');
      return { problems: errors.slice(0, MAX_RECORD_PROBLEMS).map((error) => fromAjv(error, data)) };
    }
    if (op === 'upsert') {
      const found = [...(this.types[type]!.problems?.(data as never) ?? [])];
      if (found.length === 0) return { record: { type, data } as PlatformRecord };
      const problems = found.slice(0, MAX_RECORD_PROBLEMS);
      return { problems: problems.map((problem) => ({ ...problem, loc: ['data', ...problem.loc] })) };
    }
    if (!this.types[type]!.erasable) return { record: { type, op, data } as PlatformRecord };
    if (reason !== 'removed' && reason !== 'erased') {
      return wrong(['reason'], 'reason must be one of: removed, erased', 'enum');
    }
    return { record: { type, op, data, ...(reason === 'erased' && { reason }) } as PlatformRecord };
  }

  /** Compiled on first use: compiling all takes a twentieth of a start. */
  private checkOf(type: string, op: 'upsert' | 'delete'): ValidateFunction | undefined {
    const key = `${op} ${type}`;
    if (!this.checks.has(key)) {
      const schema = op === 'upsert' ? this.types[type]!.data : removalSchema(this.types[type]!);
      this.checks.set(key, schema && this.ajv.compile(schema));
    }
    return this.checks.get(key);
  }
}

function wrong(loc: readonly (string | number)[], msg: string, type: string): { problems: InvalidItem[] } {
  return { problems: [{ loc, msg, type }] };
}

const AJV_TYPES: Readonly<Record<string, string>> = {
  enum: 'enum',
  minLength: 'string_too_short',
  minimum: 'greater_than_equal',
  maximum: 'less_than_equal',
};

/** Only the names that differ from JSON Schema's. */
const FORMAT_NAMES: Readonly<Record<string, string>> = { 'date-time': 'instant' };

function fromAjv(error: ErrorObject, data: unknown): InvalidItem {
  const loc = ['data', ...stepsOf(error.instancePath, data)];
  const params = error.params as Record<string, unknown>;
  switch (error.keyword) {
    case 'required':
      return { loc: [...loc, String(params.missingProperty)], msg: 'Field required', type: 'missing' };
    case 'type': {
      const types = [params.type].flat().map(String);
      return { loc, msg: `Input should be a valid ${types.join(' or ')}`, type: `${types[0]}_type` };
    }
    case 'format': {
      const format = FORMAT_NAMES[String(params.format)] ?? String(params.format);
      return { loc, msg: `Input should be a valid ${format}`, type: `${format.replace('-', '_')}_parsing` };
    }
    case 'maxItems':
      return { loc, msg: `Input must have at most ${String(params.limit)} items`, type: 'too_large' };
    case 'maxLength': {
      const limit = Number(params.limit);
      if (error.propertyName !== undefined) {
        return { loc, msg: `Names must have at most ${limit} characters`, type: 'too_large' };
      }
      return { loc, msg: `Input must NOT have more than ${limit} characters`, type: 'too_large' };
    }
    case 'enum':
      return { loc, msg: `Input should be one of: ${String(params.allowedValues)}`, type: 'enum' };
    default:
      return {
        loc,
        msg: `Input ${error.message ?? 'is invalid'}`,
        type: AJV_TYPES[error.keyword] ?? 'value_error',
      };
  }
}

/** Array indexes become numbers; members of objects stay texts, even digits. */
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
