import { ChangeRepository } from '@cxp/change-feed';
import type { Eraser } from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withOrganizationLock } from '@cxp/records';
import type { DataSource } from 'typeorm';
import { surveyDatabase } from '../database';
import { countLinks, eraseLinks } from '../links/erased-links';
import { countResponses, eraseResponses } from '../responses/erased-responses';

const { name, schema } = surveyDatabase;

/**
 * Area C erases responses, and metadata fields of links and of other people's responses. It has no user ids. Links have no keys: no
 * record brings one back. A position is the last response or link.
 */
export function surveyEraser(dataSource: DataSource): Eraser {
  return {
    name,
    schema,
    kinds: ['responses', 'links', 'metadataValues'],
    transaction: (organizationId, work) =>
      withOrganizationLock(dataSource, name, organizationId, work, INTAKE_TIMEOUTS),
    async *count(manager, organizationId, subject) {
      yield* countResponses(manager, organizationId, subject);
      yield* countLinks(manager, organizationId, subject);
    },
    async erase(manager, erasure) {
      const [kind = 'link', after] = erasure.position?.split(' ') ?? [];
      // Links first: a page that is answered meanwhile copies their metadata into a response, which no later step would find.
      if (kind === 'link') {
        const links = await eraseLinks(manager, erasure, after);
        if (links) return { ...links, keys: [], next: `link ${links.last}` };
      }
      const responses = await eraseResponses(manager, erasure, kind === 'response' ? after : undefined);
      if (responses) return { ...responses, next: `response ${responses.last}` };
      return { found: {}, keys: [], next: null };
    },
    lastChange: (manager, organizationId) => new ChangeRepository(manager, schema).last(organizationId),
  };
}
