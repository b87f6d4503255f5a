import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import {
  ALL_PERMISSIONS,
  ApiTokenRepository,
  OrganizationRepository,
  parsePermissions,
  type Permission,
} from '@cxp/auth-headers';

export interface Caller {
  readonly organizationId: string;
  readonly token: string;
  readonly tokenId: string;
  readonly headers: Readonly<Record<string, string>>;
}

const EVERY_PERMISSION = Object.entries(ALL_PERMISSIONS).flatMap(([resource, actions]) =>
  actions.map((action) => `${resource}:${action}`),
);

export async function issueTestToken(
  dataSource: DataSource,
  options: {
    organizationId?: string;
    permissions?: readonly Permission[];
    lifetimeSeconds?: number;
  } = {},
): Promise<Caller> {
  const { organizationId = `org-${randomUUID()}`, permissions = EVERY_PERMISSION } = options;
  await new OrganizationRepository(dataSource.manager).create({ id: organizationId, name: organizationId });
  const { id, token } = await new ApiTokenRepository(dataSource.manager).issue({
    organizationId,
    name: 'test',
    permissions: parsePermissions(permissions),
    lifetimeSeconds: options.lifetimeSeconds ?? null,
  });
  return {
    organizationId,
    token,
    tokenId: id,
    headers: { authorization: `Bearer ${token}`, 'organization-id': organizationId, 'auth-type': 'token' },
  };
}
