import { randomBytes } from 'node:crypto';
import { FIND_OR_CREATE_LINK, type LinkRow } from '@cxp/survey-api/links/link.repository';
import { mappingKey, type MetadataAssociation } from '@cxp/survey-api/links/metadata-mapping';
import { bareApp, bareQuery, limiter, WINDOWS } from './bare-api';

/**
 * What C4 is measured against: a Fastify handler with the same statements over pg and the same rate limit, and nothing
 * else: no token, no validation, no framework.
 */
const app = bareApp('SURVEY_PORT');

app.post<{
  Params: { id: string };
  Body: { name: string; metadata_mapping: MetadataAssociation[] };
}>('/external/survey-campaigns/:id/links', async (request) => {
  const organizationId = request.headers['organization-id'] as string;
  await limiter.hit(`organization:${organizationId}:links`, WINDOWS);
  const { name, metadata_mapping: mapping } = request.body;
  const [link] = await bareQuery<LinkRow>('link', FIND_OR_CREATE_LINK.text, [
    organizationId,
    request.params.id,
    mappingKey(mapping),
    50,
    randomBytes(16).toString('base64url'),
    name,
    JSON.stringify(mapping),
    mapping.map(({ metadata_id }) => metadata_id),
  ]);
  const fields = new Map(link!.fields.map((field) => [field.id, field]));
  return {
    id: link!.id,
    public_id: link!.publicId,
    name: link!.name,
    metadata_mapping: mapping.map(({ metadata_id, value }) => ({ metadata: fields.get(metadata_id), value })),
    created: link!.createdAt,
    updated: link!.updatedAt,
  };
});
