import type { EntityManager } from 'typeorm';
import type { Permissions } from '../permissions';
import { generateApiToken, hashApiToken } from './api-token-format';

export interface ApiToken {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly permissions: Permissions;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface ListedApiToken extends ApiToken {
  /** The id of the token that was issued in its place. */
  readonly replacedBy: string | null;
}

export interface NewApiToken {
  readonly organizationId: string;
  readonly name: string;
  readonly permissions: Permissions;
  /** From now on; null: it does not expire. */
  readonly lifetimeSeconds: number | null;
}

/** The token itself, which can't be had again: only its hash is stored. */
export interface IssuedApiToken {
  readonly id: string;
  readonly token: string;
}

const COLUMNS = `api_token.id, api_token.organization_id AS "organizationId", api_token.name, api_token.permissions,
  api_token.created_at AS "createdAt", api_token.expires_at AS "expiresAt", api_token.revoked_at AS "revokedAt"`;

const LISTED_COLUMNS = `${COLUMNS}, api_token.replaced_by AS "replacedBy"`;

export class ApiTokenRepository {
  constructor(private readonly manager: EntityManager) {}

  async issue(token: NewApiToken): Promise<IssuedApiToken> {
    const secret = generateApiToken();
    const [row]: { id: string }[] = await this.manager.query(
      `INSERT INTO access.api_token (organization_id, name, hash, permissions, expires_at)
       VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5::double precision)) RETURNING id`,
      [
        token.organizationId,
        token.name,
        hashApiToken(secret),
        JSON.stringify(token.permissions),
        token.lifetimeSeconds,
      ],
    );
    return { id: row!.id, token: secret };
  }

  /**
   * Issues a token in place of another one, which ends after the overlap. The new one has the same organization, name and permissions, and
   * from now on as long a life.
   * @returns undefined if there is no such token, or it has ended or been replaced before
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

  async find(id: string): Promise<ListedApiToken | undefined> {
    const [row]: ListedApiToken[] = await this.manager.query(
      `SELECT ${LISTED_COLUMNS} FROM access.api_token WHERE id::text = $1`,
      [id],
    );
    return row;
  }

  async list(organizationId: string): Promise<ListedApiToken[]> {
    return this.manager.query(
      `SELECT ${LISTED_COLUMNS} FROM access.api_token WHERE organization_id = $1 ORDER BY created_at, id`,
      [organizationId],
    );
  }

  /** @returns whether there is such a token; one that was revoked before keeps its time */
  async revoke(id: string): Promise<boolean> {
    const [rows]: [unknown[], number] = await this.manager.query(
      `UPDATE access.api_token SET revoked_at = coalesce(revoked_at, now()) WHERE id::text = $1 RETURNING id`,
      [id],
    );
    return rows.length === 1;
  }

  /** The token of this hash, revoked and expired ones included. */
  async findByHash(hash: Buffer): Promise<(ApiToken & { readonly hash: Buffer }) | undefined> {
    const [row]: (ApiToken & { hash: Buffer })[] = await this.manager.query(
      `SELECT ${COLUMNS}, api_token.hash FROM access.api_token WHERE hash = $1`,
      [hash],
    );
    return row;
  }
}
