import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { isUUID } from 'class-validator';
import {
  Column,
  Entity,
  Index,
  IsNull,
  JoinColumn,
  ManyToOne,
  PrimaryGeneratedColumn,
  Unique,
  type EntityManager,
} from 'typeorm';
import { jsonColumn, nullable, textColumn, timeColumn, UnscopedStatement } from '@cxp/storage';
import { Organization } from './organizations';
import type { Permissions } from './permissions';

/** Only the token's holder has the secret. */
@Entity({ schema: 'access', name: 'api_token' })
@Unique('api_token_hash_unique', ['hash'])
@Index('api_token_organization', ['organizationId', 'createdAt'])
export class ApiToken {
  @PrimaryGeneratedColumn('uuid')
  readonly id!: string;

  @Column('text', { name: 'organization_id' })
  readonly organizationId!: string;

  @ManyToOne(() => Organization)
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'api_token_organization_id_fkey' })
  readonly organization?: Organization;

  @Column('text')
  readonly name!: string;

  @Column('bytea', { select: false })
  readonly hash?: Buffer;

  @Column('jsonb')
  readonly permissions!: Permissions;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  readonly createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  readonly expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  readonly revokedAt!: Date | null;

  @Column('uuid', { name: 'replaced_by', nullable: true })
  readonly replacedBy!: string | null;

  @ManyToOne(() => ApiToken)
  @JoinColumn({ name: 'replaced_by', foreignKeyConstraintName: 'api_token_replaced_by_fkey' })
  readonly successor?: ApiToken | null;
}

export interface NewApiToken {
  readonly organizationId: string;
  readonly name: string;
  readonly permissions: Permissions;
  /** From now on; null means no expiry. */
  readonly lifetimeSeconds: number | null;
}

/** The token is shown once: only its hash is stored. */
export interface IssuedApiToken {
  readonly id: string;
  readonly token: string;
}

const FIND_BY_HASH = new UnscopedStatement(
  { hash: 'bytea' },
  {
    id: textColumn('id'),
    organizationId: textColumn('organization_id'),
    permissions: jsonColumn<Permissions>('permissions'),
    expiresAt: nullable(timeColumn('expires_at')),
    revokedAt: nullable(timeColumn('revoked_at')),
  },
  (list) => `SELECT ${list} FROM access.api_token WHERE hash = $hash`,
  'prepared',
);

/** What a caller is judged by. */
export type KnownToken = Pick<ApiToken, 'id' | 'organizationId' | 'permissions' | 'expiresAt' | 'revokedAt'>;

export class ApiTokenRepository {
  constructor(private readonly manager: EntityManager) {}

  async issue({ lifetimeSeconds, ...token }: NewApiToken): Promise<IssuedApiToken> {
    const secret = generateApiToken();
    const { identifiers } = await this.tokens
      .createQueryBuilder()
      .insert()
      .values({
        ...token,
        hash: hashApiToken(secret),
        expiresAt: () => 'now() + make_interval(secs => :lifetimeSeconds::double precision)',
      })
      .setParameter('lifetimeSeconds', lifetimeSeconds)
      .execute();
    return { id: identifiers[0]!.id as string, token: secret };
  }

  /**
   * Issues a token with the same organization, name, permissions and lifetime; the old one ends after the overlap.
   * @returns undefined if there is no such token, or it has ended or been replaced
   */
  async rotate(id: string, overlapSeconds: number): Promise<IssuedApiToken | undefined> {
    const secret = generateApiToken();
    const [row]: { id: string }[] = await this.manager.query(
      `WITH replaced AS (
         SELECT id, organization_id, name, permissions, expires_at, created_at FROM access.api_token
         WHERE id::text = $1 AND revoked_at IS NULL AND replaced_by IS NULL AND (expires_at IS NULL OR expires_at > now())
         FOR UPDATE
       ), issued AS (
         INSERT INTO access.api_token (organization_id, name, hash, permissions, expires_at)
         SELECT organization_id, name, $2, permissions, now() + (expires_at - created_at) FROM replaced
         RETURNING id
       ), ended AS (
         UPDATE access.api_token
         SET replaced_by = issued.id,
           expires_at = least(api_token.expires_at, now() + make_interval(secs => $3::double precision))
         FROM replaced, issued WHERE api_token.id = replaced.id
       )
       SELECT id FROM issued`,
      [id, hashApiToken(secret), overlapSeconds],
    );
    return row && { id: row.id, token: secret };
  }

  async find(id: string): Promise<ApiToken | null> {
    return isUUID(id) ? this.tokens.findOneBy({ id }) : null;
  }

  list(organizationId: string): Promise<ApiToken[]> {
    return this.tokens.find({ where: { organizationId }, order: { createdAt: 'ASC', id: 'ASC' } });
  }

  /** @returns whether the token exists; an earlier revocation keeps its time */
  async revoke(id: string): Promise<boolean> {
    if (!isUUID(id)) return false;
    await this.tokens.update({ id, revokedAt: IsNull() }, { revokedAt: () => 'now()' });
    return this.tokens.existsBy({ id });
  }

  /** Includes revoked and expired tokens. */
  findByHash(hash: Buffer): Promise<KnownToken | undefined> {
    return FIND_BY_HASH.first(this.manager, { hash });
  }

  private get tokens() {
    return this.manager.getRepository(ApiToken);
  }
}

export type TokenFailure = 'unknown_token' | 'expired_token';

/** Milliseconds that a revoked token may still pass; five seconds are promised. Streams check every half second. */
const CACHE_MS = 4_000;

/** Bounds memory; the oldest entry goes first. */
const CACHE_ENTRIES = 10_000;

/** Caches existing tokens only, so that a new one works at once. */
export class ApiTokenVerifier {
  private readonly cache = new Map<string, { found: Promise<KnownToken | undefined>; until: number }>();

  constructor(private readonly repository: ApiTokenRepository) {}

  /** @returns the valid token, or what is wrong with it */
  async verify(token: string): Promise<KnownToken | TokenFailure> {
    if (!isWellFormedApiToken(token)) return 'unknown_token';
    const hash = hashApiToken(token);
    const key = hash.toString('base64');
    const found = await this.lookUp(key, hash);
    if (!found || found.revokedAt) return 'unknown_token';
    const isExpired = found.expiresAt !== null && found.expiresAt.getTime() <= Date.now();
    return isExpired ? 'expired_token' : found;
  }

  private lookUp(key: string, hash: Buffer): Promise<KnownToken | undefined> {
    const cached = this.cache.get(key);
    if (cached && cached.until > performance.now()) return cached.found;

    const found = this.repository.findByHash(hash);
    this.cache.delete(key);
    this.cache.set(key, { found, until: performance.now() + CACHE_MS });
    if (this.cache.size > CACHE_ENTRIES) this.cache.delete(this.cache.keys().next().value!);
    const forget = () => {
      if (this.cache.get(key)?.found === found) this.cache.delete(key);
    };
    found.then((row) => row ?? forget(), forget);
    return found;
  }
}

const PREFIX = 'cxp_';
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/**
 * `cxp_`, 32 random characters (190 bits), and a CRC-32 in 6 characters, by which secret scanners recognise a token and typing
 * errors cost no look-up.
 */
export function generateApiToken(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

export function isWellFormedApiToken(token: string): boolean {
  return SHAPE.test(token) && checksum(token.slice(0, -CHECKSUM_LENGTH)) === token.slice(-CHECKSUM_LENGTH);
}

/** SHA-256; a random token needs no salt and no slow hash. */
export function hashApiToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 is the largest multiple of 62 in a byte: larger bytes would favour the first digits.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += BASE62[byte % 62];
  }
  return text;
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = BASE62.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
