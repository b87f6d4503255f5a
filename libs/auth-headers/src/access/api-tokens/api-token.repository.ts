import { type EntityManager, IsNull } from 'typeorm';
import { isUUID } from 'class-validator';
import type { Permissions } from '../permissions';
import { ApiToken } from './api-token.entity';
import { generateApiToken, hashApiToken } from './api-token-format';

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
  findByHash(hash: Buffer): Promise<ApiToken | null> {
    return this.tokens.findOneBy({ hash });
  }

  private get tokens() {
    return this.manager.getRepository(ApiToken);
  }
}
