import type { InvalidItem } from '@cxp/error-envelopes';

/**
 * Finds numbers that lost their sent value: JSON reads one beyond all doubles as infinite, and an integer beyond 2^53 - 1 as a
 * neighbour, which is never within that bound.
 * @returns items whose `loc` starts at the value
 */
export function numberProblems(value: unknown, most: number): InvalidItem[] {
  const found: InvalidItem[] = [];
  const path: (string | number)[] = [];
  const visit = (item: unknown): void => {
    if (typeof item === 'number') {
      const problem = problemOf(item);
      if (problem) found.push({ loc: [...path], ...problem });
    } else if (Array.isArray(item)) {
      for (let index = 0; index < item.length; index++) step(index, item[index]);
    } else if (typeof item === 'object' && item !== null) {
      for (const name of Object.keys(item)) step(name, (item as Record<string, unknown>)[name]);
    }
  };
  const step = (name: string | number, item: unknown): void => {
    if (found.length >= most) return;
    path.push(name);
    visit(item);
    path.pop();
  };
  visit(value);
  return found;
}

function problemOf(number: number): Pick<InvalidItem, 'msg' | 'type'> | undefined {
  if (!Number.isFinite(number)) return { msg: 'Input should be a finite number', type: 'finite_number' };
  // From 2^53 on a double has no fraction.
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return undefined;
  return { msg: 'Input should be an integer from -(2^53 - 1) to 2^53 - 1', type: 'safe_integer' };
}
