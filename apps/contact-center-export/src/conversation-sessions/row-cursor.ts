import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsObject } from 'class-validator';
import { isInstant, utcTime } from '@cxp/records';
import { parseJson } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';

export interface RowPosition {
  /** In the form of `utcTime`. */
  readonly updatedAt: string;
  readonly conversationId: string;
  /** As stored: a ticket without a session has the greatest index, a session without a ticket the least ticket id. */
  readonly sessionIndex: number;
  readonly ticketId: string;
}

export const BEFORE_EVERY_ROW: RowPosition = {
  updatedAt: '0001-01-01T00:00:00.000000Z',
  conversationId: '',
  sessionIndex: 0,
  ticketId: '0',
};

/** Clients must not rely on the form. */
export function rowCursor({ updatedAt, conversationId, sessionIndex, ticketId }: RowPosition): string {
  return Buffer.from(JSON.stringify([updatedAt, conversationId, sessionIndex, ticketId])).toString(
    'base64url',
  );
}

/** @returns undefined if `rowCursor` did not write the text */
function readRowCursor(cursor: string): RowPosition | undefined {
  const parsed = parseJson(Buffer.from(cursor, 'base64url'), 'cursor');
  if (!('value' in parsed) || !isPosition(parsed.value)) return undefined;
  const [time, conversationId, sessionIndex, ticketId] = parsed.value;
  return { updatedAt: utcTime(time), conversationId, sessionIndex, ticketId };
}

export function RowCursorParameter(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => {
      if (value === '') return BEFORE_EVERY_ROW;
      return typeof value === 'string' ? (readRowCursor(value) ?? value) : value;
    }),
    IsObject({ message: '$property must be empty, or a cursor that an answer gave' }),
  );
}

function isPosition(value: unknown): value is [string, string, number, string] {
  if (!Array.isArray(value) || value.length !== 4) return false;
  const [time, conversationId, sessionIndex, ticketId] = value as unknown[];
  return (
    typeof time === 'string' &&
    isInstant(time) &&
    typeof conversationId === 'string' &&
    unstorableTextPaths(conversationId).length === 0 &&
    Number.isInteger(sessionIndex) &&
    Math.abs(sessionIndex as number) < 2 ** 31 &&
    typeof ticketId === 'string' &&
    /^-?\d{1,19}$/.test(ticketId) &&
    BigInt.asIntN(64, BigInt(ticketId)) === BigInt(ticketId)
  );
}
