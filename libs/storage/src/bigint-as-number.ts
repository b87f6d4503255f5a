import type { ValueTransformer } from 'typeorm';

/** For `bigint` columns whose values are exact as numbers. */
export const bigintAsNumber: ValueTransformer = {
  from: (text: string | null) => (text === null ? null : Number(text)),
  to: (value: unknown) => value,
};
