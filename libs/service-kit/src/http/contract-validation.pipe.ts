import type { ArgumentMetadata, PipeTransform, Type } from '@nestjs/common';
import { ProblemError, type ValidationProblems } from '@cxp/error-envelopes';
import { checkDto } from './check-dto';

/** Parts of a request by the names that the contract's `loc` uses. */
const PARTS: Partial<Record<ArgumentMetadata['type'], string>> = {
  body: 'body',
  query: 'query',
  param: 'path',
};

/** Turns the parts of a request into their DTO classes and lists everything that is wrong at once. */
export class ContractValidationPipe implements PipeTransform {
  constructor(private readonly problems: ValidationProblems) {}

  transform(value: unknown, { metatype, type }: ArgumentMetadata): unknown {
    const part = PARTS[type];
    if (!part || !metatype || !isDto(metatype)) return value;
    const sent = type === 'query' ? withoutBrackets(value as object) : value;
    const { dto, items } = checkDto(metatype as Type<object>, sent, part, this.problems);
    if (items.length > 0) throw new ProblemError({ code: 'invalid', items });
    return dto;
  }
}

/** Clients write an array parameter as `name`, `name[]` or `name[0]`, repeated or not: all of it becomes `name`. */
function withoutBrackets(query: object): object {
  const parameters = Object.entries(query) as [string, unknown][];
  if (!parameters.some(([name]) => name.endsWith(']'))) return query;
  const merged = new Map<string, unknown>();
  for (const [bracketed, value] of parameters) {
    const name = bracketed.replace(/\[\d*\]$/, '');
    merged.set(name, merged.has(name) ? [merged.get(name), value].flat() : value);
  }
  return Object.fromEntries(merged);
}

function isDto(metatype: Type): boolean {
  return ![String, Number, Boolean, Array, Object].some((builtIn) => builtIn === (metatype as unknown));
}
