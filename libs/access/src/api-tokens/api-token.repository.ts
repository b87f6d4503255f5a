import type { EntityManager } from 'typeorm';
import type { Permissions } from '../permissions';
import { generateApiToken, hashApiToken } from './api-token-format';

/** What is known of a token besides its secret, which nobody but its holder has. */
export interface ApiToken {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly permissions: Permissions;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export interface NewApiToken {
  readonly organizationId: string;
  readonly name: string;
  readonly permissions: Permissions;
  /** From now on; null: it does not expire. */
  readonly lifetimeSeconds: number | null;
}

const COLUMNS = `api_token.id, api_token.organization_id AS "organizationId", api_token.name, api_token.permissions,
  api_token.created_at AS "createdAt", api_token.expires_at AS "expiresAt", api_token.revoked_at AS "revokedAt"`;

export class ApiTokenRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns the token itself, which can't be had again: only its hash is stored */
  async issue(token: NewApiToken): Promise<{ id: string; token: string }> {
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

  async list(organizationId: string): Promise<ApiToken[]> {
    return this.manager.query(
      `SELECT ${COLUMNS} FROM access.api_token WHERE organization_id = $1 ORDER BY created_at, id`,
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

  /** Those of the hashes that are of a token, revoked and expired ones included. */
  async existingHashes(hashes: readonly Buffer[]): Promise<Buffer[]> {
    const rows: { hash: Buffer }[] = await this.manager.query(
      'SELECT api_token.hash FROM access.api_token WHERE hash = ANY ($1)',
      [hashes],
    );
    return rows.map(({ hash }) => hash);
  }
}
