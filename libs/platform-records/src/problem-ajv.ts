import { Ajv } from 'ajv';

/** Ajv for bodies of clients: it collects everything that is wrong with a value, of which there are as many as the body has values. */
export function problemAjv(): Ajv {
  return new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    coerceTypes: false,
    verbose: true,
    // The schemas are ours: their tests check them.
    validateSchema: false,
  });
}

/** The steps of a JSON pointer; those into an array are numbers, those into an object are names, digits or not. */
export function stepsOf(pointer: string, data: unknown): (string | number)[] {
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
