import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ProblemError, rejectAsInvalid, type ValidationProblems } from '@cxp/error-envelopes';
import { unstorableTextPath } from '@cxp/storage';

/** Parts of a request by the names that the contract's `loc` uses. */
const PARTS: Partial<Record<ArgumentMetadata['type'], string>> = {
  body: 'body',
  query: 'query',
  param: 'path',
};

/**
 * Turns the parts of a request into their DTO classes and lists everything that is wrong at once. Unlike Nest's own
 * pipe it validates synchronously, which halves the cost of a small POST, and tells the part in the problem.
 */
export class ContractValidationPipe implements PipeTransform {
  constructor(private readonly problems: ValidationProblems) {}

  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const part = PARTS[type];
    if (!part || !metatype || !isDto(metatype)) return value;
    if (type === 'body' && !isJsonObject(value)) {
      rejectAsInvalid({ loc: [part], msg: 'body must be a JSON object', type: 'dict_type' });
    }
    const dto = toInstance(metatype as Type<object>, value, part);
    const unstorable = unstorableTextPath(value);
    if (unstorable) {
      rejectAsInvalid({
        loc: [part, ...unstorable],
        msg: 'text must be Unicode without NUL',
        type: 'string_unicode',
      });
    }
    const errors = validateSync(dto, { forbidUnknownValues: false, validationError: { target: false } });
    if (errors.length > 0) throw new ProblemError({ code: 'invalid', items: this.problems(errors, part) });
    return dto;
  }
}

function toInstance(metatype: Type<object>, value: unknown, part: string): object {
  try {
    return plainToInstance(metatype, value, { exposeDefaultValues: true });
  } catch (error) {
    // class-transformer walks recursively; `[[[[…` of a few kilobytes exhausts the stack.
    if (!(error instanceof RangeError)) throw error;
    rejectAsInvalid({ loc: [part], msg: `${part} is nested too deeply`, type: 'recursion_loop' });
  }
}

function isDto(metatype: Type): boolean {
  return ![String, Number, Boolean, Array, Object].some((builtIn) => builtIn === (metatype as unknown));
}

function isJsonObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
