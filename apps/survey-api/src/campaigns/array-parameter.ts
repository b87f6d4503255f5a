import { Transform } from 'class-transformer';

/**
 * A query parameter that is an array: repeated, comma-separated (`statuses=a,b`), or both. Items are trimmed and empty
 * ones dropped; an empty array is undefined: an empty filter is no filter.
 */
export function ArrayParameter(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => {
    const items = [value]
      .flat()
      .flatMap((item) => String(item).split(','))
      .map((item) => item.trim())
      .filter((item) => item !== '');
    return items.length > 0 ? items : undefined;
  });
}
