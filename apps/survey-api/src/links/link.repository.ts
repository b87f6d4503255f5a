import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { escapeLiteral } from 'pg';
import { canonicalJson } from '@cxp/change-feed';
import { keysOfTexts } from '@cxp/identifiers';
import {
  inTransaction,
  jsonColumn,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
  withPauses,
} from '@cxp/storage';
import { EntityManager } from 'typeorm';
import type { MetadataFieldData } from '@cxp/records';
import type { MetadataAssociation } from './link.dto';

type Mapping = readonly MetadataAssociation[];

export type SurveyLink = RowOf<typeof LINK>;

const NEW_LINK = {
  id: numberColumn('link.id'),
  name: textColumn('link.name'),
  publicId: textColumn('link.public_id'),
  createdAt: timeColumn('link.created_at'),
  updatedAt: timeColumn('link.updated_at'),
};

const LINK = {
  ...NEW_LINK,
  mapping: jsonColumn<Mapping>('link.metadata_mapping'),
};

/** One link of a campaign. */
export interface LinkKey {
  readonly organizationId: string;
  /** In lower case: a lock's key is its text. */
  readonly campaignId: string;
  readonly mapping: Mapping;
  /** `mappingKey` of it. */
  readonly hash: Buffer;
}

export interface FoundLink {
  /** Metadata fields of the mapping, those that exist. */
  readonly fields: readonly MetadataFieldData[];
  /** Links that the campaign may have; null if it is unknown. */
  readonly limit: number | null;
  readonly link: SurveyLink | undefined;
}

/**
 * One row, whatever exists; nulls stand for no link. Of a list that it does not know PostgreSQL expects ten rows, and would plan each
 * run, which takes three times as long; of a limit that it does not know it expects fewer.
 */
const FIND = new Statement(
  {
    organizationId: 'text',
    campaignId: 'uuid',
    mappingKey: 'bytea',
    fieldIds: 'bigint[]',
    defaultLimit: 'integer',
  },
  {
    ...LINK,
    fields: jsonColumn<readonly MetadataFieldData[]>('named.fields'),
    limit: nullable(
      numberColumn(
        'CASE WHEN campaign.id IS NOT NULL THEN coalesce(settings.max_survey_links_per_campaign, $defaultLimit) END',
      ),
    ),
  },
  (list) => `SELECT ${list}
   FROM (
     SELECT coalesce(json_agg(json_build_object('id', field.id, 'name', name, 'variable', variable)), '[]') AS fields
     FROM (SELECT id FROM unnest($fieldIds) AS id LIMIT cardinality($fieldIds)) AS wanted CROSS JOIN LATERAL (
       SELECT id, name, variable FROM survey.metadata_field WHERE organization_id = $organizationId AND id = wanted.id OFFSET 0
     ) AS field
   ) AS named
   LEFT JOIN survey.campaign
     ON campaign.organization_id = $organizationId AND campaign.id = $campaignId AND campaign.status NOT IN ('awaited', 'deleted')
   LEFT JOIN survey.organization_settings AS settings ON settings.organization_id = $organizationId
   LEFT JOIN survey.link
     ON link.organization_id = $organizationId AND link.campaign_id = campaign.id AND link.mapping_key = $mappingKey`,
  'prepared',
);

/**
 * Counts a link of a campaign below its limit. The count's row is locked until the end of the transaction, so that the limit holds
 * and no link has to be counted again. No row at the limit.
 */
function counting({ organizationId, campaignId }: LinkKey, limit: number): string {
  const campaign = `${escapeLiteral(organizationId)}, ${escapeLiteral(campaignId)}`;
  return `INSERT INTO survey.link_count AS known (organization_id, campaign_id, links) SELECT ${campaign}::uuid, 1 WHERE ${limit} > 0
   ON CONFLICT (organization_id, campaign_id) DO UPDATE SET links = known.links + 1 WHERE known.links < ${limit} RETURNING links`;
}

function addressing({ organizationId }: LinkKey, publicId: string): string {
  const address = `${escapeLiteral(organizationId)}, ${escapeLiteral(publicId)}`;
  return `INSERT INTO survey.link_address (organization_id, public_id) VALUES (${address})`;
}

/** No row if the campaign has such a link. */
const INSERT = new Statement(
  {
    organizationId: 'text',
    campaignId: 'uuid',
    mappingKey: 'bytea',
    publicId: 'text',
    name: 'text',
    mapping: 'json',
    personKeys: 'text[]',
  },
  NEW_LINK,
  (
    list,
  ) => `INSERT INTO survey.link (organization_id, campaign_id, mapping_key, public_id, name, metadata_mapping, person_keys)
   VALUES ($organizationId, $campaignId, $mappingKey, $publicId, $name, $mapping, $personKeys)
   ON CONFLICT ON CONSTRAINT link_mapping_unique DO NOTHING RETURNING ${list}`,
  'prepared',
);

/** Takes back what the transaction has counted. */
class NotMade extends Error {}

@Injectable()
export class LinkRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @param defaultLimit of links, unless the organization has its own */
  async find(
    { organizationId, campaignId, mapping, hash }: LinkKey,
    defaultLimit: number,
  ): Promise<FoundLink> {
    const fieldIds = mapping.map(({ metadata_id }) => metadata_id);
    const found = await FIND.first(this.manager, {
      organizationId,
      campaignId,
      mappingKey: hash,
      fieldIds,
      defaultLimit,
    });
    const { fields, limit, ...link } = found!;
    return { fields, limit, link: link.id === null ? undefined : link };
  }

  /** @returns undefined if the campaign has so many links, or made this one meanwhile */
  async create(key: LinkKey, name: string, limit: number): Promise<SurveyLink | undefined> {
    const { organizationId, campaignId, mapping, hash } = key;
    // 128 random bits: nobody can guess the address.
    const publicId = randomBytes(16).toString('base64url');
    const link = {
      organizationId,
      campaignId,
      mappingKey: hash,
      publicId,
      name,
      mapping: JSON.stringify(mapping),
      personKeys: personKeysOfMapping(mapping),
    };
    const opening = [addressing(key, publicId), counting(key, limit)];
    const make = async (manager: EntityManager, counted: readonly object[]) => {
      const made = counted.length > 0 ? await INSERT.first(manager, link) : undefined;
      if (!made) throw new NotMade();
      return { ...made, mapping };
    };
    return inTransaction(this.manager.dataSource, organizationId, opening, make).catch((error: unknown) => {
      if (error instanceof NotMade) return undefined;
      throw error;
    });
  }
}

/**
 * One campaign has one link per mapping. The order of entries and of object members does not matter, that of list items does.
 * `1` equals `1.0` and differs from `"1"`.
 * @returns SHA-256 of the canonical JSON
 */
export async function mappingKey(mapping: Mapping): Promise<Buffer> {
  const canonical = mapping
    .map(({ metadata_id, value }) => [metadata_id, value] as const)
    .sort(([left], [right]) => left - right);
  const hash = createHash('sha256').update('[');
  for await (const [place, entry] of withPauses(canonical.entries())) {
    hash.update(`${place > 0 ? ',' : ''}${canonicalJson(entry)}`);
  }
  return hash.update(']').digest();
}

export function personKeysOfMapping(mapping: Mapping): string[] {
  return keysOfTexts(mapping.map(({ value }) => value));
}
