import { Ajv } from 'ajv';

/**
 * Ajv for bodies of clients: it collects what is wrong with a value, and stops at so many problems. By itself it knows to stop at the first
 * one, and to collect all of them: 60,000 of one record take longer than all else that happens to it. Its hook for the code of a check lets
 * the code end earlier.
 */
export function problemAjv(maxProblems: number): Ajv {
  const stopAtMost = (code: string, { validateName }: { readonly validateName?: unknown } = {}) => {
    const stop = `if (errors >= ${maxProblems}) { ${String(validateName)}.errors = vErrors; return false; }`;
    return code.replaceAll('errors++;', `errors++; ${stop}`);
  };
  return new Ajv({
    allErrors: true,
    strict: true,
    allowUnionTypes: true,
    coerceTypes: false,
    verbose: true,
    code: { process: stopAtMost },
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
