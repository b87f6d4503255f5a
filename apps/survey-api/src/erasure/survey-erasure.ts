import { randomBytes } from 'node:crypto';
import { ChangeRepository } from '@cxp/change-feed';
import type { Erased, ErasureArea, ErasureMode, RecordKey } from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withIntakeTurn } from '@cxp/record-intake';
import type { DataSource, EntityManager } from 'typeorm';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { surveyDatabase } from '../database';
import { LinkRepository } from '../links/link.repository';
import type { MetadataValue } from '../links/link.schema';
import { RESPONSE_FEED } from '../responses/response-feed';
import type { ResponseRecord } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';
import { anonymizedResponse } from './personal-data';
import { findOfSubject, linksOfIds, responsesOfIds } from './erasable.read-model';

/** Of a step, or of what has expired; each holds up the intake of its organization. */
export const RESPONSES_PER_STEP = 500;

/** Opens a transaction in the organization's turn. */
export function inSurveyTurn<Result>(
  dataSource: DataSource,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return withIntakeTurn(dataSource, surveyDatabase.name, organizationId, work, INTAKE_TIMEOUTS);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** How area C erases: its roots are responses, and fields of links. */
export function surveyErasure(dataSource: DataSource): ErasureArea {
  return {
    name: surveyDatabase.name,
    schema: surveyDatabase.schema,
    ignoresUserIds: true,
    kinds: ['responses', 'links'],
    keyTypes: { survey_response: UUID, survey_link: /^\d{1,18}\/-?\d{1,16}$/ },
    rootsPerStep: RESPONSES_PER_STEP,
    transaction: (organizationId, work) => inSurveyTurn(dataSource, organizationId, work),
    find: findOfSubject,
    erase,
    lastChange: (manager, organizationId) =>
      new ChangeRepository(manager, RESPONSE_FEED.schema).last(organizationId),
  };
}

async function erase(
  manager: EntityManager,
  organizationId: string,
  roots: readonly RecordKey[],
  mode: ErasureMode,
  isIdentifier: (text: string) => boolean,
): Promise<Erased> {
  const idsOf = (type: string) => roots.filter((root) => root.type === type).map(({ id }) => id);
  const ids = idsOf('survey_response');
  const responses =
    mode === 'delete'
      ? await new ResponseRepository(manager).removeAll(organizationId, ids, 'erased')
      : await anonymizeResponses(manager, organizationId, ids);
  const fields = idsOf('survey_link');
  const links = await anonymizeLinks(manager, organizationId, fields, isIdentifier);
  const keys = [
    ...responses.map((id) => ({ type: 'survey_response', id })),
    ...fields.filter((field) => links.has(linkOf(field))).map((id) => ({ type: 'survey_link', id })),
  ];
  return { found: { responses: responses.length, links: links.size }, keys };
}

/** @returns the identifiers of those that exist */
async function anonymizeResponses(
  manager: EntityManager,
  organizationId: string,
  identifiers: readonly string[],
): Promise<string[]> {
  if (identifiers.length === 0) return [];
  const responses = (await responsesOfIds(manager, organizationId, identifiers)).map(
    (row) => JSON.parse(JSON.stringify(row)) as ResponseRecord,
  );
  const repository = new ResponseRepository(manager);
  let left = responses;
  while (left.length > 0) {
    const campaignIds = left.map((response) => response.survey_campaign_id);
    const read = await new CampaignRepository(manager).findQuestions(organizationId, campaignIds);
    const now = left.filter((response) => !read.left.has(response.survey_campaign_id));
    await repository.storeAll(
      organizationId,
      now.map((response) => anonymizedResponse(response, read.questions.get(response.survey_campaign_id))),
    );
    left = left.filter((response) => read.left.has(response.survey_campaign_id));
  }
  return responses.map(({ identifier }) => identifier);
}

/**
 * Links keep working. No mapping leads to one any more, so that the same mapping makes another link.
 * @param fields `17/3`: of link 17 the values of field 3 that are identifiers
 * @returns the ids of the links that exist
 */
async function anonymizeLinks(
  manager: EntityManager,
  organizationId: string,
  fields: readonly string[],
  isIdentifier: (text: string) => boolean,
): Promise<ReadonlySet<string>> {
  if (fields.length === 0) return new Set();
  const erased = new Set(fields);
  const withoutIdentifiers = (value: MetadataValue): MetadataValue => {
    if (typeof value === 'string') return isIdentifier(value) ? null : value;
    if (typeof value !== 'object' || value === null) return value;
    return value.map((item) => (typeof item === 'string' && isIdentifier(item) ? null : item));
  };
  const links = (await linksOfIds(manager, organizationId, [...new Set(fields.map(linkOf))])).map(
    ({ id, mapping }) => ({
      id,
      mapping: mapping.map(({ metadata_id, value }) => ({
        metadata_id,
        value: erased.has(`${id}/${metadata_id}`) ? withoutIdentifiers(value) : value,
      })),
      key: randomBytes(32).toString('hex'),
    }),
  );
  await new LinkRepository(manager).anonymize(organizationId, links);
  return new Set(links.map(({ id }) => id));
}

function linkOf(field: string): string {
  return field.slice(0, field.indexOf('/'));
}
