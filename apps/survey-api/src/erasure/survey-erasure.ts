import { randomBytes } from 'node:crypto';
import { ChangeRepository } from '@cxp/change-feed';
import type { Erased, ErasureArea, ErasureMode, Found, RecordKey, Subject } from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withIntakeTurn } from '@cxp/record-intake';
import type { DataSource, EntityManager } from 'typeorm';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { surveyDatabase } from '../database';
import { LinkRepository } from '../links/link.repository';
import type { MetadataValue } from '../links/metadata-mapping';
import { RESPONSE_FEED } from '../responses/response-feed';
import type { ResponseRecord } from '../responses/response-record';
import { ResponseRepository } from '../responses/response.repository';
import { anonymizedResponse } from './anonymized-response';
import { ERASABLE } from './erasable.read-model';

/** Of a step, or of what has expired; each holds up the intake of its organization. */
export const RESPONSES_PER_STEP = 500;

/** Opens a transaction in the organization's turn, whose changes are numbered at its end. */
export function inSurveyTurn<Result>(
  dataSource: DataSource,
  organizationId: string,
  work: (manager: EntityManager) => Promise<Result>,
): Promise<Result> {
  return withIntakeTurn(
    dataSource,
    surveyDatabase.name,
    organizationId,
    async (manager) => {
      const result = await work(manager);
      await new ResponseRepository(manager).number(organizationId);
      return result;
    },
    INTAKE_TIMEOUTS,
  );
}

/** How area C erases: its roots are responses and links. */
export function surveyErasure(dataSource: DataSource): ErasureArea {
  return {
    name: surveyDatabase.name,
    schema: surveyDatabase.schema,
    ignoresUserIds: true,
    kinds: ['responses', 'links'],
    sealedTypes: ['survey_response', 'survey_link'],
    rootsPerStep: RESPONSES_PER_STEP,
    transaction: (organizationId, work) => inSurveyTurn(dataSource, organizationId, work),
    count: async (manager, organizationId, subject, limit) =>
      (await ERASABLE.count.first(manager, [...valuesOf(organizationId, subject), limit]))!,
    find: (manager, organizationId, subject, limit) =>
      ERASABLE.find.run(manager, [...valuesOf(organizationId, subject), limit]),
    list,
    erase,
    lastChange: (manager, organizationId) =>
      new ChangeRepository(manager, RESPONSE_FEED.schema).last(organizationId),
  };
}

function valuesOf(organizationId: string, { phones, emails }: Subject): readonly unknown[] {
  return [organizationId, phones, emails];
}

/** Links come first. */
async function list(
  manager: EntityManager,
  organizationId: string,
  after: RecordKey | undefined,
  limit: number,
): Promise<RecordKey[]> {
  const afterResponse = after?.type === 'survey_response';
  const links = afterResponse
    ? []
    : await ERASABLE.links.run(manager, [organizationId, after?.id ?? null, limit]);
  const left = limit - links.length;
  if (left === 0) return links;
  const lastResponse = afterResponse ? after.id : null;
  return [...links, ...(await ERASABLE.responses.run(manager, [organizationId, lastResponse, left]))];
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
  const links = await anonymizeLinks(manager, organizationId, idsOf('survey_link'), isIdentifier);
  const found: Found = { responses: responses.length, links: links.length };
  const keys = [
    ...responses.map((id) => ({ type: 'survey_response', id })),
    ...links.map((id) => ({ type: 'survey_link', id })),
  ];
  return { found, keys };
}

/** @returns the identifiers of those that were: large ones, and those of more large campaigns, are left for the next step */
async function anonymizeResponses(
  manager: EntityManager,
  organizationId: string,
  identifiers: readonly string[],
): Promise<string[]> {
  if (identifiers.length === 0) return [];
  const rows = await ERASABLE.responsesToAnonymize.run(manager, [organizationId, identifiers]);
  const campaignIds = rows.filter(({ answers }) => answers).map((row) => row.survey_campaign_id);
  const { questions, left } = await new CampaignRepository(manager).findQuestions(
    organizationId,
    campaignIds,
  );
  const responses = rows
    .filter((row) => !row.answers || !left.has(row.survey_campaign_id))
    .map((row) => JSON.parse(JSON.stringify(row)) as ResponseRecord);
  const repository = new ResponseRepository(manager);
  await repository.storeAll(
    organizationId,
    responses.map((response) => anonymizedResponse(response, questions.get(response.survey_campaign_id))),
  );
  const anonymized = responses.map(({ identifier }) => identifier);
  await repository.markAnonymized(organizationId, anonymized);
  return anonymized;
}

/** The link keeps working. No mapping leads to it any more, so that the same mapping makes another link. */
async function anonymizeLinks(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  isIdentifier: (text: string) => boolean,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const withoutIdentifiers = (value: MetadataValue): MetadataValue => {
    if (typeof value === 'string') return isIdentifier(value) ? null : value;
    if (typeof value !== 'object' || value === null) return value;
    return value.map((item) => (typeof item === 'string' && isIdentifier(item) ? null : item));
  };
  const links = (await ERASABLE.linksToAnonymize.run(manager, [organizationId, ids])).map(
    ({ id, mapping }) => ({
      id,
      mapping: mapping.map(({ metadata_id, value }) => ({ metadata_id, value: withoutIdentifiers(value) })),
      key: randomBytes(32).toString('hex'),
    }),
  );
  await new LinkRepository(manager).anonymize(organizationId, links);
  return links.map(({ id }) => id);
}
