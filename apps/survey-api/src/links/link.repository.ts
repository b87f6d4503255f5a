import { Injectable } from '@nestjs/common';
import {
  booleanColumn,
  jsonColumn,
  numberColumn,
  type RowOf,
  Statement,
  type StatementScope,
  textColumn,
  timeColumn,
  violates,
} from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { MetadataField } from '../metadata-fields/metadata-field.repository';
import type { LinkRequest } from './link-request';
import { mappingKey, type MetadataAssociation } from './metadata-mapping';
import { erasedKeys } from '../responses/erased-keys';
import { newPublicId } from './public-id';

/** A link to a survey, which carries values for metadata fields. */
export type SurveyLink = RowOf<typeof LINK>;

/**
 * SQL: an id as it is answered. On Citus a worker n makes ids from n × 2⁴⁸ on, which from the 32nd on are no safe integers of JSON; these are as
 * long as a worker makes less than 2⁴⁰.
 */
const answeredId = (id: string) => `((${id} >> 48 << 40) + (${id} & 281474976710655))`;

const linkColumns = (prefix: string) => ({
  id: numberColumn(answeredId(`${prefix}id`)),
  publicId: textColumn(`${prefix}public_id`),
  name: textColumn(`${prefix}name`),
  mapping: jsonColumn<readonly MetadataAssociation[]>(`${prefix}metadata_mapping`),
  createdAt: timeColumn(`${prefix}created_at`),
  updatedAt: timeColumn(`${prefix}updated_at`),
});

const LINK = linkColumns('link.');

/** The outcome of a request for a link. */
export interface LinkOutcome {
  /**
   * The link of this mapping, new or not; undefined if a metadata field or the campaign is unknown, or the campaign has its maximum
   * number of links.
   */
  readonly link: SurveyLink | undefined;
  /** The metadata fields of the mapping that the organization has. */
  readonly fields: readonly MetadataField[];
  readonly campaignExists: boolean;
  /** The maximum number of links of the campaign. */
  readonly limit: number;
}

/** The outcome of several requests, in their order. */
interface LinkBatchOutcome {
  /** Undefined where the campaign had its maximum number of links. */
  readonly links: readonly (SurveyLink | undefined)[];
  readonly limit: number;
}

const LINK_OUTCOME = {
  limit: numberColumn('outcome.link_limit'),
  campaignExists: booleanColumn('outcome.campaign_exists'),
  fields: jsonColumn<MetadataField[]>('outcome.fields'),
  ...linkColumns('outcome.link_'),
};
export type LinkRow = RowOf<typeof LINK_OUTCOME>;

/** $1 organization, $2 campaign, $3 mapping key, $4 default limit, $5 public id, $6 name, $7 mapping, $8 its metadata ids. */
export const FIND_OR_CREATE_LINK = new Statement(
  LINK_OUTCOME,
  (list) => `SELECT ${list} FROM survey.find_or_create_link($1, $2, $3, $4, $5, $6, $7, $8) AS outcome`,
  'prepared',
);

const KEYED_LINK = { key: textColumn("encode(link.mapping_key, 'hex')"), ...LINK };

/** $1 organization, $2 campaign, $3 default limit. No row if the campaign is unknown. */
const FIND_LIMIT = new Statement(
  { limit: numberColumn('coalesce(settings.max_survey_links_per_campaign, $3::integer)') },
  (list) => `SELECT ${list}
   FROM survey.campaign LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $1
   WHERE campaign.organization_id = $1 AND campaign.id = $2 AND campaign.status NOT IN ('awaited', 'deleted')`,
);

/** $1 organization, $2 campaign. */
const LOCK_COUNTER = new Statement(
  { links: numberColumn('counter.links') },
  (list) => `INSERT INTO survey.link_count AS counter (organization_id, campaign_id, links) VALUES ($1, $2, 0)
   ON CONFLICT (organization_id, campaign_id) DO UPDATE SET links = counter.links
   RETURNING ${list}`,
);

/** $1 organization, $2 campaign, $3 how many. */
const ADD_TO_COUNTER = new Statement(
  {},
  'UPDATE survey.link_count SET links = links + $3 WHERE organization_id = $1 AND campaign_id = $2',
);

/** $1 organization, $2 campaign, $3 mapping keys (hexadecimal). */
const FIND_BY_KEYS = new Statement(
  KEYED_LINK,
  (list) => `SELECT ${list}
   FROM survey.link
   WHERE organization_id = $1 AND campaign_id = $2
     AND mapping_key = ANY(SELECT decode(key, 'hex') FROM unnest($3::text[]) AS key)`,
);

/** $1 organization, $2 campaign, $3 the links as a JSON array. */
const INSERT_ALL = new Statement(
  KEYED_LINK,
  (
    list,
  ) => `INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping)
   SELECT $1, $2, decode(key, 'hex'), public_id, name, mapping
   FROM json_to_recordset($3) AS request (place integer, key text, public_id text, name text, mapping json)
   ORDER BY place
   RETURNING ${list}`,
);

/** $1 organization, $2 links as a JSON array. */
const ANONYMIZE = new Statement(
  {},
  `UPDATE survey.link SET name = '', metadata_mapping = known.mapping, mapping_key = decode(known.key, 'hex')
   FROM json_to_recordset($2) AS known (id bigint, mapping json, key text)
   WHERE link.organization_id = $1 AND link.id = known.id`,
);

@Injectable()
export class LinkRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Finds the campaign's link of this mapping, or makes it.
   * @param defaultLimit how many links a campaign may have in an organization that has no limit of its own
   * @param statements the scope of its statements
   */
  async findOrCreate(
    organizationId: string,
    campaignId: string,
    { name, mapping }: LinkRequest,
    defaultLimit: number,
    statements: StatementScope,
  ): Promise<LinkOutcome> {
    const parameters = [
      organizationId,
      campaignId,
      mappingKey(mapping),
      defaultLimit,
      newPublicId(await erasedKeys.secretOf(this.manager), organizationId),
      name,
      JSON.stringify(mapping),
      mapping.map(({ metadata_id }) => metadata_id),
    ];
    const attempt = () => statements.start(() => this.attempt(parameters));
    const outcome = await attempt().catch((error: unknown) => {
      if (violates(error, 'link_mapping_unique')) return undefined;
      throw error;
    });
    // Without a link, another request may have made it while this one waited to be counted: now it can be seen.
    return outcome?.link ? outcome : attempt();
  }

  /**
   * Finds or creates the links of several requests, with the outcome of as many calls one after the other. All of it is
   * one transaction, under the lock of the campaign's counter, which each new link of the campaign takes.
   * @returns undefined if the campaign is unknown
   */
  async findOrCreateAll(
    organizationId: string,
    campaignId: string,
    requests: readonly LinkRequest[],
    defaultLimit: number,
  ): Promise<LinkBatchOutcome | undefined> {
    return this.manager.transaction(async (manager) => {
      const permitted = await FIND_LIMIT.first(manager, [organizationId, campaignId, defaultLimit]);
      if (!permitted) return undefined;
      const counter = (await LOCK_COUNTER.first(manager, [organizationId, campaignId]))!;
      const keyed = requests.map((request) => ({
        ...request,
        key: mappingKey(request.mapping).toString('hex'),
      }));
      const keys = keyed.map(({ key }) => key);
      const found = byKey(await FIND_BY_KEYS.run(manager, [organizationId, campaignId, keys]));
      const missing = new Map<string, LinkRequest>();
      for (const { key, ...request } of keyed) {
        const isFull = counter.links + missing.size >= permitted.limit;
        if (!isFull && !found.has(key) && !missing.has(key)) missing.set(key, request);
      }
      const created = await insertAll(manager, organizationId, campaignId, missing);
      return {
        links: keyed.map(({ key }) => found.get(key) ?? created.get(key)),
        limit: permitted.limit,
      };
    });
  }

  /** Takes the names of links, and replaces their mappings and keys (hexadecimal). */
  async anonymize(
    organizationId: string,
    links: readonly {
      readonly id: string;
      readonly mapping: readonly MetadataAssociation[];
      readonly key: string;
    }[],
  ): Promise<void> {
    await ANONYMIZE.count(this.manager, [organizationId, JSON.stringify(links)]);
  }

  private async attempt(parameters: unknown[]): Promise<LinkOutcome> {
    const [row] = await FIND_OR_CREATE_LINK.run(this.manager, parameters);
    const { limit, campaignExists, fields, ...link } = row!;
    return { limit, campaignExists, fields, link: link.id === null ? undefined : link };
  }
}

/** Under the lock of the counter. @returns links by mapping key (hexadecimal) */
async function insertAll(
  manager: EntityManager,
  organizationId: string,
  campaignId: string,
  requests: ReadonlyMap<string, LinkRequest>,
): Promise<Map<string, SurveyLink>> {
  if (requests.size === 0) return new Map();
  const secret = await erasedKeys.secretOf(manager);
  const rows = [...requests].map(([key, { name, mapping }], place) => ({
    place,
    key,
    public_id: newPublicId(secret, organizationId),
    name,
    mapping,
  }));
  await ADD_TO_COUNTER.count(manager, [organizationId, campaignId, rows.length]);
  return byKey(await INSERT_ALL.run(manager, [organizationId, campaignId, JSON.stringify(rows)]));
}

function byKey(links: readonly RowOf<typeof KEYED_LINK>[]): Map<string, SurveyLink> {
  return new Map(links.map(({ key, ...link }) => [key, link]));
}
