import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsInt,
  IsNotEmpty,
  IsString,
  IsUUID,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
  validateSync,
} from 'class-validator';
import { type InvalidItem, MAX_PROBLEMS, rejectAsInvalid, validationItems } from '@cxp/error-envelopes';
import { isVisibleText } from '@cxp/identifiers';
import { CodePoints, hasCodePoints } from '@cxp/service-kit';
import { isStorable, unstorableTextPaths, withPauses } from '@cxp/storage';
import { isJsonObject } from '../json';

export type MetadataValue = string | number | null | readonly unknown[];

export interface MetadataAssociation {
  readonly metadata_id: number;
  readonly value: MetadataValue;
}

/** As responses store them. A link with more has no page. */
export const MAX_PAGE_METADATA_BYTES = 32 * 1_024;

export const MAX_MAPPING_ITEMS = 200;
/** Limits each value, each text in a list, and each member name in it. */
export const MAX_TEXT_CHARACTERS = 2_000;
/** Bytes of a list in UTF-8, as `JSON.stringify` writes it. */
export const MAX_LIST_BYTES = 32 * 1_024;

export class LinkCampaignPath {
  @ApiProperty({ format: 'uuid', example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01' })
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id: string;
}

const VALUE_DOCUMENT = {
  oneOf: [
    { type: 'string', maxLength: MAX_TEXT_CHARACTERS },
    { type: 'number' },
    { type: 'array', items: {} },
    { type: 'null' },
  ],
  example: 'Hà Nội 01',
} as ApiPropertyOptions;

export class MetadataAssociationRequest implements MetadataAssociation {
  @ApiProperty({ type: 'integer', example: 3, description: 'Id of a metadata field of the organization.' })
  @IsInt()
  @Min(Number.MIN_SAFE_INTEGER)
  @Max(Number.MAX_SAFE_INTEGER)
  metadata_id: number;

  @ApiPropertyOptional({
    ...VALUE_DOCUMENT,
    description:
      `Absent is \`null\`. A list holds any JSON values, at most ${MAX_LIST_BYTES / 1_024} KiB as JSON; a text in it has at ` +
      `most ${MAX_TEXT_CHARACTERS} characters.`,
  })
  @ValidateBy({
    name: 'isMetadataValue',
    validator: {
      validate: isMetadataValue,
      defaultMessage: () => '$property must be a text, a number, a list or null',
    },
  })
  value: MetadataValue;

  constructor({ metadata_id, value = null }: Record<string, unknown>) {
    this.metadata_id = metadata_id as number;
    this.value = value as MetadataValue;
  }
}

export class CreateLinkRequest {
  @ApiProperty({
    minLength: 1,
    maxLength: 255,
    example: 'Cửa hàng Hà Nội 01',
    description: 'Whitespace around it is trimmed. Not part of the key.',
  })
  @IsString()
  @IsNotEmpty()
  @CodePoints(1, 255)
  name: string;

  @ApiPropertyOptional({
    type: [MetadataAssociationRequest],
    nullable: true,
    maxItems: MAX_MAPPING_ITEMS,
    description:
      'It and the campaign identify the link. Its order does not matter; name each field once. Absent, `null` and `[]` are ' +
      'the same.',
  })
  @IsArray()
  @ArrayMaxSize(MAX_MAPPING_ITEMS)
  @ValidateNested({ each: true })
  metadata_mapping: readonly MetadataAssociationRequest[];

  constructor({ name, metadata_mapping }: Record<string, unknown>) {
    this.name = (typeof name === 'string' ? visibleText(name) : name) as string;
    const items = metadata_mapping ?? [];
    // One item too many is refused like 100,000.
    this.metadata_mapping = Array.isArray(items)
      ? items
          .slice(0, MAX_MAPPING_ITEMS + 1)
          .map((item) => new MetadataAssociationRequest(isJsonObject(item) ? item : {}))
      : (items as []);
  }
}

function visibleText(text: string): string {
  return isVisibleText(text) ? text.trim() : '';
}

/**
 * Replaces the pipe of other bodies: class-transformer would drop members such as `constructor` from values, and takes 150 ms
 * to copy the largest body.
 * @throws ProblemError 422
 */
export async function readCreateLink(body: unknown): Promise<CreateLinkRequest> {
  if (!isJsonObject(body)) {
    rejectAsInvalid({ loc: ['body'], msg: 'body must be a JSON object', type: 'dict_type' });
  }
  const request = new CreateLinkRequest(body);
  const problems = validationItems(validateSync(request), 'body');
  problems.push(...unstorableTextPaths(request.name).map(() => unstorable(['body', 'name'])));
  const mapping = Array.isArray(request.metadata_mapping) ? request.metadata_mapping : [];
  for await (const [index, { value }] of withPauses(mapping.entries())) {
    if (problems.length >= MAX_PROBLEMS) break;
    if (isMetadataValue(value)) {
      problems.push(...problemsInside(value, ['body', 'metadata_mapping', index, 'value']));
    }
  }
  if (problems.length > 0) rejectAsInvalid(...problems.slice(0, MAX_PROBLEMS));
  return request;
}

function isMetadataValue(value: unknown): value is MetadataValue {
  return value === null || Array.isArray(value) || ['string', 'number'].includes(typeof value);
}

/** One walk over the texts, numbers and names of members at any depth, because a body may have 100,000. */
function problemsInside(value: MetadataValue, loc: readonly (string | number)[]): InvalidItem[] {
  const problems: InvalidItem[] = [];
  let isFinite = true;
  let isShort = true;
  const path = [...loc];
  const visit = (item: unknown): void => {
    if (typeof item === 'number') isFinite &&= Number.isFinite(item);
    else if (typeof item === 'string') {
      isShort &&= hasCodePoints(item, 0, MAX_TEXT_CHARACTERS);
      if (problems.length < MAX_PROBLEMS && !isStorable(item)) problems.push(unstorable([...path]));
    } else if (Array.isArray(item)) item.forEach((element, index) => visitAt(index, element));
    else if (isJsonObject(item)) {
      // Takes half the time of `Object.entries`.
      for (const name of Object.keys(item)) {
        visitAt(name, name);
        visitAt(name, item[name]);
      }
    }
  };
  const visitAt = (name: string | number, item: unknown): void => {
    path.push(name);
    visit(item);
    path.pop();
  };
  visit(value);
  const fault = (msg: string, type: string) => problems.unshift({ loc, msg: `value must ${msg}`, type });
  if (!isFinite) fault('hold finite numbers', 'finite_number');
  else if (!isShort) fault(`hold texts of at most ${MAX_TEXT_CHARACTERS} characters`, 'string_too_long');
  else if (Array.isArray(value) && Buffer.byteLength(JSON.stringify(value)) > MAX_LIST_BYTES)
    fault(`have at most ${MAX_LIST_BYTES} bytes as JSON, as a list`, 'too_large');
  return problems;
}

function unstorable(loc: (string | number)[]): InvalidItem {
  return { loc, msg: 'text must be Unicode without NUL', type: 'string_unicode' };
}

class MetadataFieldResponse {
  @ApiProperty({ type: 'integer', example: 3 })
  id: number;

  @ApiProperty({ example: 'Cửa hàng' })
  name: string;

  @ApiProperty({ example: 'store' })
  variable: string;
}

class MetadataMappingItemResponse {
  @ApiProperty({ type: MetadataFieldResponse })
  metadata: MetadataFieldResponse;

  @ApiProperty(VALUE_DOCUMENT)
  value: MetadataValue;
}

export class LinkResponse {
  @ApiProperty({ type: 'integer', example: 41 })
  id: number;

  @ApiProperty({
    example: 'pT3bV9sXq0mJ2cK8wLr5Zg',
    description: 'Identifies the link in the public address of the survey.',
  })
  public_id: string;

  @ApiProperty({ example: 'Cửa hàng Hà Nội 01' })
  name: string;

  @ApiProperty({ type: [MetadataMappingItemResponse] })
  metadata_mapping: readonly MetadataMappingItemResponse[];

  @ApiProperty({ format: 'date-time', example: '2026-11-20T08:15:30.000Z' })
  created: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T08:15:30.000Z' })
  updated: string;
}
