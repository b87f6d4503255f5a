import { createHash } from 'node:crypto';
import { type Static, Type } from '@sinclair/typebox';
import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, type SchemaObject } from '@nestjs/swagger';
import { ApiProblems } from '@cxp/service-kit';

/*
 * The bodies of C4 and of its batch. Each is a JSON Schema that gives the TypeScript type, the check and the part of the OpenAPI document.
 * Characters are Unicode code points.
 */

/** The value that a link gives to a metadata field. */
export type MetadataValue = string | number | null | readonly (string | number | null)[];

/** One entry of a link's mapping. */
export interface MetadataAssociation {
  readonly metadata_id: number;
  readonly value: MetadataValue;
}

/** The metadata of each answer come from the link: one with more (as JSON) has no page. */
export const MAX_PAGE_METADATA_BYTES = 32 * 1_024;

/**
 * The identity of a mapping, for the rule that one campaign has one link per mapping. The order of the entries does not
 * matter; that of a value's items does. `1` and `1.0` are one number, `1` and `"1"` are not the same.
 * @returns a SHA-256 of the mapping's canonical JSON
 */
export function mappingKey(mapping: readonly MetadataAssociation[]): Buffer {
  const canonical = mapping
    .map(({ metadata_id, value }) => [metadata_id, value] as const)
    .sort(([left], [right]) => left - right);
  return createHash('sha256').update(JSON.stringify(canonical)).digest();
}

export const MAX_VALUE_CHARACTERS = 2_000;
export const MAX_VALUE_ITEMS = 200;
export const MAX_MAPPING_ITEMS = 200;
export const MAX_BATCH_ITEMS = 500;

const Value = Type.Unsafe<MetadataValue>({
  type: ['string', 'number', 'array', 'null'],
  maxLength: MAX_VALUE_CHARACTERS,
  maxItems: MAX_VALUE_ITEMS,
  items: { type: ['string', 'number', 'null'], maxLength: MAX_VALUE_CHARACTERS },
  examples: ['Hà Nội 01'],
});

const Association = Type.Object({
  metadata_id: Type.Integer({
    minimum: Number.MIN_SAFE_INTEGER,
    maximum: Number.MAX_SAFE_INTEGER,
    examples: [3],
    description: 'Id of a metadata field of the organization.',
  }),
  value: Type.Optional(Type.Unsafe<MetadataValue>({ ...Value, description: 'Absent is `null`.' })),
});

export const CreateLink = Type.Object({
  name: Type.String({
    minLength: 1,
    maxLength: 255,
    examples: ['Cửa hàng Hà Nội 01'],
    description: 'Whitespace around it is trimmed. Not part of the key.',
  }),
  metadata_mapping: Type.Optional(
    Type.Unsafe<Static<typeof Association>[] | null>({
      type: ['array', 'null'],
      maxItems: MAX_MAPPING_ITEMS,
      items: Association,
      description:
        'Together with the campaign the key: its order does not matter, each field is named once; absent, `null` and `[]` are ' +
        'the same.',
    }),
  ),
});

export const CreateLinks = Type.Object({
  items: Type.Array(CreateLink, {
    minItems: 1,
    maxItems: MAX_BATCH_ITEMS,
    description: 'Bodies of the endpoint for one link.',
  }),
});

export const Link = Type.Object({
  id: Type.Integer({ examples: [41] }),
  public_id: Type.String({
    examples: ['pT3bV9sXq0mJ2cK8wLr5Zg'],
    description: 'Identifies the link in the public address of the survey.',
  }),
  name: Type.String({ examples: ['Cửa hàng Hà Nội 01'] }),
  metadata_mapping: Type.Array(
    Type.Object({
      metadata: Type.Object({
        id: Type.Integer({ examples: [3] }),
        name: Type.String({ examples: ['Cửa hàng'] }),
        variable: Type.String({ examples: ['store'] }),
      }),
      value: Value,
    }),
  ),
  created: Type.String({ format: 'date-time', examples: ['2026-11-20T08:15:30.000Z'] }),
  updated: Type.String({ format: 'date-time', examples: ['2026-11-20T08:15:30.000Z'] }),
});
export type Link = Static<typeof Link>;

const LinkAnswer = Type.Object({
  status: Type.Integer({
    enum: [200, 422],
    examples: [200],
    description: '200: the link exists now. 422: no link was created.',
  }),
  body: Type.Unsafe<Link | object>({
    oneOf: [Link, { type: 'object', required: ['detail'], properties: { detail: {} } }],
    description: 'The body that the endpoint for one link answers with this status.',
  }),
  url: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'uri',
    examples: ['https://s.example.com/s/pT3bV9sXq0mJ2cK8wLr5Zg'],
    description:
      'The public address of the survey; `null` without a link, without public survey pages, or with more than 32 KiB of metadata.',
  }),
});
export type LinkAnswer = Static<typeof LinkAnswer>;

export const LinkAnswers = Type.Object({
  items: Type.Array(LinkAnswer, { description: 'In the order of the request.' }),
});
export type LinkAnswers = Static<typeof LinkAnswers>;

const STORE_LINK = {
  id: 41,
  public_id: 'pT3bV9sXq0mJ2cK8wLr5Zg',
  name: 'Cửa hàng Hà Nội 01',
  metadata_mapping: [
    { metadata: { id: 3, name: 'Cửa hàng', variable: 'store' }, value: 'Hà Nội 01' },
    { metadata: { id: 5, name: 'Hạng thành viên', variable: 'tier' }, value: 2 },
    { metadata: { id: 8, name: 'Nhóm khách', variable: 'segments' }, value: ['mới', 'trực tuyến'] },
    { metadata: { id: 9, name: 'Ghi chú', variable: 'note' }, value: null },
  ],
  created: '2026-11-20T08:15:30.000Z',
  updated: '2026-11-20T08:15:30.000Z',
};

const PLAIN_LINK = {
  ...STORE_LINK,
  id: 42,
  public_id: 'Jx7nQ2eWm4uYb1Rk9HfTsA',
  name: 'Website',
  metadata_mapping: [],
};

export function ApiCreateLink(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      summary: 'Create a survey link',
      description:
        'Idempotent: the campaign and `metadata_mapping` are the key. If the campaign has a link of this mapping, that link ' +
        'is returned unchanged, with the name that it has, even if the campaign has its maximum number of links.',
    }),
    ApiBody({
      schema: CreateLink as SchemaObject,
      examples: {
        'a link of a store': {
          value: {
            name: 'Cửa hàng Hà Nội 01',
            metadata_mapping: [
              { metadata_id: 3, value: 'Hà Nội 01' },
              { metadata_id: 5, value: 2 },
              { metadata_id: 8, value: ['mới', 'trực tuyến'] },
              { metadata_id: 9 },
            ],
          },
        },
        'a link without metadata': { value: { name: 'Website' } },
      },
    }),
    ApiOkResponse({
      description: 'The link, new or not.',
      schema: Link as SchemaObject,
      headers: {
        Link: {
          description:
            'The public address of the survey: `<https://…/s/{public_id}>; rel="alternate"; type="text/html"`. Only if the ' +
            'service has public survey pages.',
          schema: { type: 'string' },
        },
      },
      examples: {
        'a link of a store': { summary: 'A link of a store', value: STORE_LINK },
        'a link without metadata': { summary: 'A link without metadata', value: PLAIN_LINK },
      },
    }),
    ApiProblems({
      'the campaign does not exist': { code: 'resource_not_found', model: 'survey_campaign', id: '' },
      'invalid body': {
        code: 'invalid',
        items: [{ loc: ['body', 'name'], msg: 'Field required', type: 'missing' }],
      },
      'the campaign has the maximum number of links': {
        code: 'threshold_exceeded',
        model: 'survey_link',
        threshold: 50,
      },
    }),
  );
}

export function ApiCreateLinks(): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: 'createLinks',
      summary: 'Create survey links',
      description:
        'Answers each item as the endpoint for one link would, if it were called once per item in this order: a mapping that ' +
        'occurs twice has one link, and an item that is refused does not count towards the maximum number of links. All ' +
        'links are created in one transaction. Errors other than those of an item concern the whole call, and then no link is ' +
        'created.',
    }),
    ApiBody({
      schema: CreateLinks as SchemaObject,
      examples: {
        'two stores': {
          value: {
            items: [
              { name: 'Cửa hàng Hà Nội 01', metadata_mapping: [{ metadata_id: 3, value: 'Hà Nội 01' }] },
              { name: 'Cửa hàng Hà Nội 02', metadata_mapping: [{ metadata_id: 3, value: 'Hà Nội 02' }] },
            ],
          },
        },
      },
    }),
    ApiOkResponse({ description: 'One answer per item.', schema: LinkAnswers as SchemaObject }),
    ApiProblems({
      'the campaign does not exist': { code: 'resource_not_found', model: 'survey_campaign', id: '' },
      'invalid body': {
        code: 'invalid',
        items: [{ loc: ['body', 'items'], msg: 'Field required', type: 'missing' }],
      },
    }),
  );
}
