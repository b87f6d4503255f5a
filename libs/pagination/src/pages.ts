import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { withPauses } from '@cxp/storage';

export interface IntegerRange {
  readonly minimum: number;
  readonly maximum?: number;
  /** For the document; the property's initial value is the real default. */
  readonly default?: number;
  readonly description?: string;
}

/** An optional whole number in decimal digits. */
export function IntegerParameter({ minimum, maximum, ...documented }: IntegerRange): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum, maximum, ...documented }),
    Transform(({ value }: { value: unknown }) => readInteger(value)),
    IsOptional(),
    ...(maximum === undefined ? [] : [Max(maximum)]),
    Min(minimum),
    IsInt(),
  );
}

/** @returns the items, trimmed and without empty ones; undefined if there is none: an empty list is no filter */
export function commaSeparated(text: string): string[] | undefined {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.length > 0 ? items : undefined;
}

/** Other values stay as they are and fail `IsInt`. */
function readInteger(value: unknown): unknown {
  return typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
}

export interface Page {
  /** Counts all pages. */
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
}

export function pageRange({ page, perPage }: Omit<Page, 'total'>): { offset: number; limit: number } {
  return { offset: (page - 1) * perPage, limit: perPage };
}

export function camelCasePage({ total, page, perPage }: Page) {
  return { total, page, perPage, pages: pageCount(total, perPage) };
}

export function snakeCasePage({ total, page, perPage }: Page) {
  return { total, page, per_page: perPage, pages: pageCount(total, perPage) };
}

/**
 * @param json of an object that has a member
 * @returns the pieces of its JSON, because the value may be long
 */
export function withMember(json: string, name: string, value: string): readonly string[] {
  return [`${json.slice(0, -1)},"${name}":`, value, '}'];
}

/** The JSON of an item, its pieces, or its bytes. */
type ItemJson = string | readonly string[] | Buffer;

/** A page can have 13 MB. @param rest the members after the items */
export async function pageJson(items: Iterable<ItemJson>, rest: object): Promise<Buffer> {
  return listJson('{"items":[', items, `],${JSON.stringify(rest).slice(1)}`);
}

const COMMA = Buffer.from(',');

/** Each text becomes bytes by itself, with pauses, and no text is copied into a longer one. */
export async function listJson(start: string, items: Iterable<ItemJson>, end: string): Promise<Buffer> {
  const parts: Buffer[] = [Buffer.from(start)];
  for await (const item of withPauses(items)) {
    if (parts.length > 1) parts.push(COMMA);
    if (Buffer.isBuffer(item)) parts.push(item);
    else parts.push(...[item].flat().map((text) => Buffer.from(text)));
  }
  return Buffer.concat([...parts, Buffer.from(end)]);
}

function pageCount(total: number, perPage: number): number {
  return Math.ceil(total / perPage);
}

export class CamelCasePageResponse {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: 'Items on all pages.' })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  page: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, example: 50 })
  perPage: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: '0 if there are no items.' })
  pages: number;
}

const DEFAULT_PER_PAGE = 10;

export class SnakeCasePageQuery {
  @IntegerParameter({
    minimum: 0,
    default: 1,
    description: 'From 1; 0 is the first page, too. The answer contains the page that was used.',
  })
  page?: number;

  @IntegerParameter({
    minimum: 0,
    maximum: 100,
    default: DEFAULT_PER_PAGE,
    description: '0 is the default. The answer contains the size that was used.',
  })
  per_page?: number;
}

export function pageOf({ page, per_page }: SnakeCasePageQuery): Omit<Page, 'total'> {
  return { page: page || 1, perPage: per_page || DEFAULT_PER_PAGE };
}

export class SnakeCasePageResponse {
  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: 'Items on all pages.' })
  total: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 1 })
  page: number;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 100, example: 10 })
  per_page: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 1, description: '0 if there are no items.' })
  pages: number;
}
