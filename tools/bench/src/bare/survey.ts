import { createHash, randomBytes } from 'node:crypto';
import type { MetadataAssociation } from '@cxp/survey-api/links/link.dto';
import { bareApp, bareQuery, limiter, WINDOWS } from './bare-api';

/**
 * What C4 is measured against: a Fastify handler that looks the campaign, the fields and the link up, inserts a link that is missing, and has
 * the same rate limit, and nothing else: no token, no validation, no limit of links, no framework.
 */
const app = bareApp('SURVEY_PORT');

interface Link {
  readonly id: string;
  readonly public_id: string;
  readonly name: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

app.post<{
  Params: { id: string };
  Body: { name: string; metadata_mapping: MetadataAssociation[] };
}>('/external/survey-campaigns/:id/links', async (request) => {
  const organizationId = request.headers['organization-id'] as string;
  await limiter.hit(`organization:${organizationId}:links`, WINDOWS);
  const { name, metadata_mapping: mapping } = request.body;
  const campaign = [organizationId, request.params.id];
  const ids = mapping.map(({ metadata_id }) => metadata_id);
  const fields = await bareQuery<{ id: string }>(
    'fields',
    `SELECT id, name, variable FROM survey.metadata_field WHERE organization_id = $1 AND id = ANY ($3::bigint[])
       AND EXISTS (SELECT FROM survey.campaign WHERE organization_id = $1 AND id = $2)`,
    [...campaign, ids],
  );
  const known = await bareQuery<Link>(
    'find',
    'SELECT * FROM survey.link WHERE organization_id = $1 AND campaign_id = $2 AND mapping_key = $3',
    [...campaign, keyOf(mapping)],
  );
  const [link] =
    known.length > 0
      ? known
      : await bareQuery<Link>(
          'insert',
          `INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping)
           VALUES ($1, $2, $3, $4, $5, $6) RETURNING *`,
          [...campaign, keyOf(mapping), randomBytes(16).toString('base64url'), name, JSON.stringify(mapping)],
        );
  const byId = new Map(fields.map((field) => [Number(field.id), field]));
  return {
    id: Number(link!.id),
    public_id: link!.public_id,
    name: link!.name,
    metadata_mapping: mapping.map(({ metadata_id, value }) => ({ metadata: byId.get(metadata_id), value })),
    created: link!.created_at,
    updated: link!.updated_at,
  };
});

function keyOf(mapping: readonly MetadataAssociation[]): Buffer {
  return createHash('sha256').update(JSON.stringify(mapping)).digest();
}
