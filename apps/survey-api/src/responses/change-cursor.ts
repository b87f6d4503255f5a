import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsInt } from 'class-validator';

const CURSOR = /^change:(\d{1,15})$/;

/** Writes the number of a change as a cursor. Its form is nobody's business but ours. */
export function changeCursor(change: number): string {
  return Buffer.from(`change:${change}`).toString('base64url');
}

/** @returns the number of the change; 0 for an empty cursor, the beginning; undefined for what is no cursor */
export function readChangeCursor(cursor: string): number | undefined {
  if (cursor === '') return 0;
  const [, change] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  return change === undefined ? undefined : Number(change);
}

/** A query parameter that is a cursor; the property holds the number of its change. */
export function ChangeCursorParameter(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (readChangeCursor(value) ?? value) : value,
    ),
    IsInt({ message: '$property must be empty, or a cursor that an answer gave' }),
  );
}
