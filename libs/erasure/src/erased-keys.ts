import { booleanColumn, byteaColumn, Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import type { ErasureMode, RecordKey } from './erasure-area';
import { ErasureSecret } from './erasure-secret';

/** The keys of an area's records that were erased: who stores records asks here. */
export class ErasedKeys {
  private readonly secrets = new WeakMap<DataSource, Promise<ErasureSecret>>();
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(private readonly schema: string) {
    this.statements = statementsOf(schema);
  }

  /**
   * Whether the organization has erased anything: without it no key has to be looked up. To be asked in the transaction that stores
   * records, under the organization's intake turn.
   */
  async hasAny(manager: EntityManager, organizationId: string): Promise<boolean> {
    return (await this.statements.hasAny.first(manager, [organizationId]))!.hasAny;
  }

  /**
   * How records of these keys were erased, in the same transaction. A record of such a key is ignored (`delete`), or stored without what was
   * erased (`anonymize`).
   * @returns by `keyText`
   */
  async find(
    manager: EntityManager,
    organizationId: string,
    keys: readonly RecordKey[],
  ): Promise<Map<string, ErasureMode>> {
    if (keys.length === 0) return new Map();
    const secret = await this.secretOf(manager);
    const byHash = new Map<string, string>();
    for (const key of keys) {
      byHash.set(hashOf(secret, organizationId, key).toString('base64'), keyText(key));
    }
    const hashes = [...byHash.keys()].map((hash) => Buffer.from(hash, 'base64'));
    const found = await this.statements.find.run(manager, [organizationId, hashes]);
    return new Map(found.map(({ hash, mode }) => [byHash.get(hash.toString('base64'))!, mode]));
  }

  /** Keeps the keys of what an erasure has erased. A deletion counts more than an anonymization. */
  async add(manager: EntityManager, erasure: ErasureReference, keys: readonly RecordKey[]): Promise<void> {
    if (keys.length === 0) return;
    const secret = await this.secretOf(manager);
    const hashed = keys.map((key) => ({ type: key.type, hash: hashOf(secret, erasure.organizationId, key) }));
    await this.addHashed(manager, erasure, hashed);
  }

  /** The same of keys that are hashed already. */
  async addHashed(
    manager: EntityManager,
    { organizationId, id, mode }: ErasureReference,
    keys: readonly HashedKey[],
  ): Promise<void> {
    const hashes = keys.map(({ hash }) => hash);
    const types = keys.map(({ type }) => type);
    await this.statements.add.run(manager, [organizationId, hashes, types, mode, id]);
  }

  /**
   * All hashes that an erasure has kept, of some types; and those of earlier erasures of the same subject: one that was
   * interrupted may be repeated with another id, and nobody may have the certificate of the first one.
   */
  async ofErasure(
    manager: EntityManager,
    { organizationId, id }: ErasureReference,
    types: readonly string[],
  ): Promise<HashedKey[]> {
    return this.statements.ofErasure.run(manager, [organizationId, id, types]);
  }

  async secretOf(manager: EntityManager): Promise<ErasureSecret> {
    const { dataSource } = manager;
    const known = this.secrets.get(dataSource);
    if (known) return known;
    const secret = ErasureSecret.read(manager, this.schema).catch((error: unknown) => {
      this.secrets.delete(dataSource);
      throw error;
    });
    this.secrets.set(dataSource, secret);
    return secret;
  }
}

interface HashedKey {
  readonly type: string;
  readonly hash: Buffer;
}

export interface ErasureReference {
  readonly organizationId: string;
  readonly id: string;
  readonly mode: ErasureMode;
}

/** A text that is another one for each key. */
export function keyText({ type, id }: RecordKey): string {
  return `${type} ${id}`;
}

/** The key of a text of `keyText`; undefined of an empty one. */
export function keyOf(text: string): RecordKey | undefined {
  const space = text.indexOf(' ');
  return space < 0 ? undefined : { type: text.slice(0, space), id: text.slice(space + 1) };
}

function hashOf(secret: ErasureSecret, organizationId: string, { type, id }: RecordKey): Buffer {
  return secret.hash(organizationId, type, id);
}

function statementsOf(schema: string) {
  const table = `${schema}.erased_key`;
  const key = { type: textColumn('type'), hash: byteaColumn('hash') };
  return {
    hasAny: new Statement(
      { hasAny: booleanColumn(`EXISTS (SELECT FROM ${table} WHERE organization_id = $1)`) },
      (list) => `SELECT ${list}`,
      'prepared',
    ),
    // OFFSET 0: a lookup of the primary key for each hash, however many rows PostgreSQL expects.
    find: new Statement(
      { hash: byteaColumn('erased.hash'), mode: textColumn<ErasureMode>('erased.mode') },
      (list) => `SELECT ${list} FROM unnest($2::bytea[]) AS wanted (hash)
       CROSS JOIN LATERAL (
         SELECT hash, mode FROM ${table} WHERE organization_id = $1 AND hash = wanted.hash OFFSET 0
       ) AS erased`,
    ),
    add: new Statement(
      {},
      `INSERT INTO ${table} AS known (organization_id, hash, type, mode, erasure_id)
       SELECT DISTINCT ON (hash) $1, hash, type, $4, $5 FROM unnest($2::bytea[], $3::text[]) AS erased (hash, type)
       ON CONFLICT (organization_id, hash) DO UPDATE SET mode = excluded.mode, erasure_id = excluded.erasure_id
         WHERE known.mode <> 'delete'`,
    ),
    ofErasure: new Statement(
      key,
      (list) => `SELECT ${list} FROM ${table}
       WHERE organization_id = $1 AND type = ANY ($3::text[]) AND erasure_id IN (
         SELECT same.id FROM ${schema}.erasure JOIN ${schema}.erasure AS same USING (organization_id, subject_hash)
         WHERE organization_id = $1 AND erasure.id = $2
       )`,
    ),
  };
}
