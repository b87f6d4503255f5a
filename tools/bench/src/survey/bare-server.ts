import { randomBytes } from 'node:crypto';
import fastify from 'fastify';
import { FIND_OR_CREATE_LINK, type LinkRow } from '@cxp/survey-api/links/link.repository';
import { mappingKey, type MetadataAssociation } from '@cxp/survey-api/links/metadata-mapping';
import { FIND_FIELDS, type MetadataField } from '@cxp/survey-api/metadata-fields/metadata-field.repository';
import { bareQuery } from '../bare-query';

/**
 * The floor that C4 is measured against: a Fastify handler with the same statements over pg, and nothing else: no token, no
 * rate limit, no validation, no framework.
 */
const app = fastify();
app.get('/health/ready', () => ({ ready: true }));

app.post<{
  Params: { id: string };
  Body: { name: string; metadata_mapping: MetadataAssociation[] };
}>('/external/survey-campaigns/:id/links', async (request) => {
  const organizationId = request.headers['organization-id'] as string;
  const { name, metadata_mapping: mapping } = request.body;
  const ids = mapping.map(({ metadata_id }) => metadata_id);
  const fields = new Map(
    (await bareQuery<MetadataField>('fields', FIND_FIELDS.text, [organizationId, ids])).map((field) => [
      field.id,
      field,
    ]),
  );
  const [link] = await bareQuery<LinkRow>('link', FIND_OR_CREATE_LINK.text, [
    organizationId,
    request.params.id,
    mappingKey(mapping),
    50,
    randomBytes(16).toString('base64url'),
    name,
    JSON.stringify(mapping),
  ]);
  return {
    id: link!.id,
    public_id: link!.publicId,
    name: link!.name,
    metadata_mapping: mapping.map(({ metadata_id, value }) => ({ metadata: fields.get(metadata_id), value })),
    created: link!.createdAt,
    updated: link!.updatedAt,
  };
});

void app.listen({ port: Number(process.env.SURVEY_PORT), host: '::' });
