import {
  allows,
  type ApiToken,
  type ApiTokenRepository,
  hashApiToken,
  isWellFormedApiToken,
  type Permission,
} from '@cxp/access';

export interface TokenCheck {
  readonly valid: boolean;
  /** Everything that is wrong, in a sentence each. */
  readonly problems: readonly string[];
  /** Null if no token of the platform was given. */
  readonly token: ApiToken | null;
}

/** Checks what a service checks, and says what it does not say. */
export async function checkToken(
  tokens: ApiTokenRepository,
  token: string,
  organizationId: string,
  permissions: readonly Permission[],
): Promise<TokenCheck> {
  if (!isWellFormedApiToken(token)) return failed(malformed(token));
  const row = await tokens.findByHash(hashApiToken(token));
  if (!row) return failed('there is no such token in this database');
  const { hash: _hash, ...found } = row;
  const { expiresAt, revokedAt } = found;
  const problems = [
    found.organizationId !== organizationId &&
      `the token belongs to organization ${found.organizationId}, not to ${organizationId}`,
    revokedAt !== null && `the token was revoked at ${revokedAt.toISOString()}`,
    expiresAt !== null &&
      expiresAt.getTime() <= Date.now() &&
      `the token expired at ${expiresAt.toISOString()}`,
    ...permissions
      .filter((permission) => !allows(found.permissions, permission))
      .map((permission) => `the token does not have the permission ${permission}`),
  ].filter((problem) => problem !== false);
  return { valid: problems.length === 0, problems, token: found };
}

function failed(problem: string): TokenCheck {
  return { valid: false, problems: [problem], token: null };
}

function malformed(token: string): string {
  if (/^bearer\s/i.test(token)) return 'this is a whole header: give the token without "Bearer"';
  if (token.startsWith('eyJ')) return 'this is a JWT, no API token: send it with auth-type: account';
  if (!token.startsWith('cxp_')) return 'this is no API token: those begin with cxp_';
  return 'the token is not complete, or a character of it is wrong: its checksum does not fit';
}
