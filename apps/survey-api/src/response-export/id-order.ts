const INTEGER = /^-?\d+$/;

/** Orders ids numerically; ids that are no integers come last, by code point. */
export function compareIds(left: string, right: string): number {
  const leftIsNumber = INTEGER.test(left);
  const rightIsNumber = INTEGER.test(right);
  if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
  if (leftIsNumber) {
    const [leftNumber, rightNumber] = [BigInt(left), BigInt(right)];
    if (leftNumber !== rightNumber) return leftNumber < rightNumber ? -1 : 1;
  }
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
