import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { rejectAsInvalid, type InvalidItem, type ValidationProblems } from '@cxp/error-envelopes';
import { unstorableTextPaths } from '@cxp/storage';

/**
 * Turns a part of a request into its DTO class and tells everything that is wrong with it. Synchronous, unlike Nest's
 * own pipe: that halves the cost of a small POST. What the class does not declare is left out.
 * @throws ProblemError if the part is not even an object
 */
export function checkDto<Dto extends object>(
  metatype: Type<Dto>,
  value: unknown,
  part: string,
  problems: ValidationProblems,
): { dto: Dto; items: InvalidItem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    rejectAsInvalid({ loc: [part], msg: `${part} must be a JSON object`, type: 'dict_type' });
  }
  const dto = plainToInstance(metatype, value, { exposeDefaultValues: true });
  const errors = validateSync(dto, {
    whitelist: true,
    forbidUnknownValues: false,
    validationError: { target: false },
  });
  const unstorable = unstorableTextPaths(dto).map((path) => ({
    loc: [part, ...path],
    msg: `${path.join('.')} must be Unicode text without NUL`,
    type: 'string_unicode',
  }));
  return { dto, items: [...problems(errors, part), ...unstorable] };
}
