import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, type SchemaObject } from '@nestjs/swagger';
import { ApiProblems } from '@cxp/service-kit';
import { CreateLink, CreateLinks, Link, LinkAnswers } from './link.schema';

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
