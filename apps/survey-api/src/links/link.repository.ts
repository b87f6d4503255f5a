import { randomBytes } from 'node:crypto';
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

/** A link to a survey, which carries values for metadata fields. */
export type SurveyLink = RowOf<typeof LINK>;

const LINK = {
  id: numberColumn('link.id'),
  publicId: textColumn('link.public_id'),
  name: textColumn('link.name'),
  mapping: jsonColumn<readonly MetadataAssociation[]>('link.metadata_mapping'),
  createdAt: timeColumn('link.created_at'),
  updatedAt: timeColumn('link.updated_at'),
};

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
export interface LinkBatchOutcome {
  /** Undefined where the campaign had its maximum number of links. */
  readonly links: readonly (SurveyLink | undefined)[];
  readonly limit: number;
}

const LINK_OUTCOME = {
  limit: numberColumn('permitted.links'),
  campaignExists: booleanColumn('EXISTS (SELECT FROM campaign)'),
  fields: jsonColumn<MetadataField[]>("(SELECT coalesce(json_agg(field), '[]') FROM field)"),
  ...LINK,
};
export type LinkRow = RowOf<typeof LINK_OUTCOME>;

/** $1 organization, $2 campaign, $3 mapping key, $4 default limit, $5 public id, $6 name, $7 mapping, $8 its metadata ids. */
export const FIND_OR_CREATE_LINK = new Statement(
  LINK_OUTCOME,
  (list) => `WITH permitted AS (
     SELECT coalesce(
       (SELECT max_survey_links_per_campaign FROM survey.organization_settings WHERE organization_id = $1), $4
     )::int AS links
   ), campaign AS (
     SELECT FROM survey.campaign
     WHERE organization_id = $1 AND id = $2 AND status NOT IN ('awaited', 'deleted')
   ), field AS MATERIALIZED (
     SELECT id, name, variable FROM survey.metadata_field WHERE organization_id = $1 AND id = ANY($8::bigint[])
   ), existing AS (
     SELECT link.*
     FROM survey.link CROSS JOIN campaign
     WHERE organization_id = $1 AND campaign_id = $2 AND mapping_key = $3
   ), counted AS (
     INSERT INTO survey.link_count AS counter (organization_id, campaign_id, links)
     SELECT $1, $2, 1
     FROM campaign CROSS JOIN permitted
     WHERE permitted.links > 0 AND NOT EXISTS (SELECT FROM existing)
       AND (SELECT count(*) FROM field) = cardinality($8)
     ON CONFLICT (organization_id, campaign_id) DO UPDATE SET links = counter.links + 1
       WHERE counter.links < (SELECT links FROM permitted)
     RETURNING campaign_id
   ), created AS (
     INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping)
     SELECT $1, campaign_id, $3, $5, $6, $7 FROM counted
     RETURNING *
   )
   SELECT ${list}
   FROM permitted
   LEFT JOIN (SELECT * FROM existing UNION ALL SELECT * FROM created) AS link ON true`,
  'prepared',
);

const KEYED_LINK = { key: textColumn("encode(link.mapping_key, 'hex')"), ...LINK };

/** $1 organization, $2 campaign, $3 default limit. No row if the campaign is unknown. */
const LOCK_COUNTER = new Statement(
  {
    links: numberColumn('counter.links'),
    limit: numberColumn(
      `coalesce((SELECT max_survey_links_per_campaign FROM survey.organization_settings WHERE organization_id = $1), $3)`,
    ),
  },
  (list) => `INSERT INTO survey.link_count AS counter (organization_id, campaign_id, links)
   SELECT $1, id, 0
   FROM survey.campaign
   WHERE organization_id = $1 AND id = $2 AND status NOT IN ('awaited', 'deleted')
   ON CONFLICT (organization_id, campaign_id) DO UPDATE SET links = counter.links
   RETURNING ${list}`,
);

/** $1 organization, $2 campaign, $3 mapping keys (hexadecimal). */
const FIND_BY_KEYS = new Statement(
  KEYED_LINK,
  (list) => `SELECT ${list}
   FROM survey.link
   WHERE organization_id = $1 AND campaign_id = $2
     AND mapping_key = ANY(SELECT decode(key, 'hex') FROM unnest($3::text[]) AS key)`,
);

/** $1 organization, $2 campaign, $3 how many, $4 the links as a JSON array. */
const INSERT_ALL = new Statement(
  KEYED_LINK,
  (list) => `WITH counted AS (
     UPDATE survey.link_count SET links = links + $3 WHERE organization_id = $1 AND campaign_id = $2
   )
   INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping)
   SELECT $1, $2, decode(key, 'hex'), public_id, name, mapping
   FROM json_to_recordset($4) AS request (place integer, key text, public_id text, name text, mapping json)
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
      newPublicId(),
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
      const counter = await LOCK_COUNTER.first(manager, [organizationId, campaignId, defaultLimit]);
      if (!counter) return undefined;
      const keyed = requests.map((request) => ({
        ...request,
        key: mappingKey(request.mapping).toString('hex'),
      }));
      const keys = keyed.map(({ key }) => key);
      const found = byKey(await FIND_BY_KEYS.run(manager, [organizationId, campaignId, keys]));
      const missing = new Map<string, LinkRequest>();
      for (const { key, ...request } of keyed) {
        const isFull = counter.links + missing.size >= counter.limit;
        if (!isFull && !found.has(key) && !missing.has(key)) missing.set(key, request);
      }
      const created = await insertAll(manager, organizationId, campaignId, missing);
      return {
        links: keyed.map(({ key }) => found.get(key) ?? created.get(key)),
        limit: counter.limit,
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
  const rows = [...requests].map(([key, { name, mapping }], place) => ({
    place,
    key,
    public_id: newPublicId(),
    name,
    mapping,
  }));
  const values = [organizationId, campaignId, rows.length, JSON.stringify(rows)];
  return byKey(await INSERT_ALL.run(manager, values));
}

function byKey(links: readonly RowOf<typeof KEYED_LINK>[]): Map<string, SurveyLink> {
  return new Map(links.map(({ key, ...link }) => [key, link]));
}

/** 128 random bits: a link cannot be guessed. */
function newPublicId(): string {
  return randomBytes(16).toString('base64url');
}
