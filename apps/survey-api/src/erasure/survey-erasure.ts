import { ChangeRepository } from '@cxp/change-feed';
import type { ErasureArea } from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withOrganizationLock } from '@cxp/records';
import type { DataSource } from 'typeorm';
import { surveyDatabase } from '../database';
import { eraseLinks, findLinks, LINK_FIELD } from '../links/erased-links';
import { eraseResponses, findResponses, RESPONSE_FIELD } from '../responses/erased-responses';

const { name, schema } = surveyDatabase;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Area C erases responses, and metadata fields of links and of other people's responses. It has no user ids. */
export function surveyErasure(dataSource: DataSource): ErasureArea {
  return {
    name,
    schema,
    kinds: ['responses', 'links', 'metadataValues'],
    keyTypes: {
      survey_response: UUID,
      metadata_value: new RegExp(`${LINK_FIELD.source}|${RESPONSE_FIELD.source}`, 's'),
    },
    maxKeys: 500,
    transaction: (organizationId, work) =>
      withOrganizationLock(dataSource, name, organizationId, work, INTAKE_TIMEOUTS),
    async *find(manager, organizationId, subject, requestedAt) {
      yield* findResponses(manager, organizationId, subject);
      yield* findLinks(manager, organizationId, subject, requestedAt);
    },
    count(_manager, _organizationId, keys) {
      const fields = keys.filter(({ type }) => type === 'metadata_value');
      const links = new Set(fields.flatMap(({ id }) => LINK_FIELD.exec(id)?.[1] ?? []));
      const responses = keys.length - fields.length;
      return Promise.resolve({ responses, links: links.size, metadataValues: fields.length });
    },
    async erase(manager, organizationId, keys, requestedAt) {
      const responses = await eraseResponses(manager, organizationId, keys);
      const links = await eraseLinks(manager, organizationId, keys, requestedAt);
      return {
        found: {
          responses: responses.deleted,
          links: links.emptied,
          metadataValues: responses.metadataValues + links.metadataValues,
        },
        left: [...responses.left, ...links.left],
      };
    },
    lastChange: (manager, organizationId) => new ChangeRepository(manager, schema).last(organizationId),
  };
}
