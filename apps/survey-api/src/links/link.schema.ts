import { Type, type Static } from '@sinclair/typebox';
import type { MetadataValue } from './metadata-mapping';

/*
 * The bodies of C4 and of its batch. Each is a JSON Schema that gives the TypeScript type, the check and the part of the OpenAPI document.
 * Characters are Unicode code points.
 */

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
