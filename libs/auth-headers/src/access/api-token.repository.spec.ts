import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { openAccessDatabase } from '../../test/access-database';
import { ApiTokenRepository, hashApiToken, type NewApiToken } from './api-tokens';
import { OrganizationRepository } from './organizations';

const TOKEN: NewApiToken = {
  organizationId: 'acme',
  name: 'backend',
  permissions: { $survey_link: ['create'] },
  lifetimeSeconds: null,
};

let dataSource: DataSource;
let close: () => Promise<void>;
let tokens: ApiTokenRepository;
let organizations: OrganizationRepository;

beforeAll(async () => {
  ({ dataSource, close } = await openAccessDatabase());
  tokens = new ApiTokenRepository(dataSource.manager);
  organizations = new OrganizationRepository(dataSource.manager);
});
afterEach(() => dataSource.query('TRUNCATE access.api_token'));
afterAll(() => close());

describe('API tokens', () => {
  it('are stored as their hash only', async () => {
    const { token } = await tokens.issue(TOKEN);
    const rows: object[] = await dataSource.query(
      'SELECT api_token::text AS row, hash FROM access.api_token',
    );
    expect(rows).toEqual([{ row: expect.any(String), hash: hashApiToken(token) }]);
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
  });

  it('are listed for their organization only, oldest first, without hash', async () => {
    await organizations.create({ id: 'other', name: 'Other' });
    const first = await tokens.issue(TOKEN);
    const second = await tokens.issue({ ...TOKEN, name: 'second', lifetimeSeconds: 60 });
    await tokens.issue({ ...TOKEN, organizationId: 'other' });

    const [one, two, ...rest] = await tokens.list('acme');
    expect(rest).toEqual([]);
    expect(one).toEqual({
      id: first.id,
      organizationId: 'acme',
      name: 'backend',
      permissions: { $survey_link: ['create'] },
      createdAt: expect.any(Date),
      expiresAt: null,
      revokedAt: null,
      replacedBy: null,
    });
    expect(two).toMatchObject({ id: second.id, name: 'second' });
    expect(two!.expiresAt!.getTime() - two!.createdAt.getTime()).toBe(60_000);
  });

  it('are revoked once: a second time changes nothing', async () => {
    const { id } = await tokens.issue(TOKEN);
    expect(await tokens.revoke(id)).toBe(true);
    const [revoked] = await tokens.list('acme');
    expect(revoked!.revokedAt).toBeInstanceOf(Date);
    expect(await tokens.revoke(id)).toBe(true);
    expect(await tokens.list('acme')).toEqual([revoked]);
  });

  it.each([randomUUID(), 'nonsense', ''])('are not revoked by the unknown id %j', async (id) => {
    await tokens.issue(TOKEN);
    expect(await tokens.revoke(id)).toBe(false);
    expect((await tokens.list('acme'))[0]!.revokedAt).toBeNull();
  });

  it('are replaced once, however many rotate them at the same time', async () => {
    const { id } = await tokens.issue(TOKEN);
    const issued = (await Promise.all([1, 2, 3, 4].map(() => tokens.rotate(id, 60)))).filter(Boolean);
    expect(issued).toHaveLength(1);
    const listed = await tokens.list('acme');
    expect(listed.map((token) => [token.id, token.replacedBy])).toEqual([
      [id, issued[0]!.id],
      [issued[0]!.id, null],
    ]);
    expect(listed.map(({ name, permissions }) => ({ name, permissions }))).toEqual(
      [1, 2].map(() => ({ name: TOKEN.name, permissions: TOKEN.permissions })),
    );
  });

  it('are not replaced if they have ended', async () => {
    const ended = await tokens.issue({ ...TOKEN, lifetimeSeconds: -1 });
    const revoked = await tokens.issue(TOKEN);
    await tokens.revoke(revoked.id);
    expect(await tokens.rotate(ended.id, 60)).toBeUndefined();
    expect(await tokens.rotate(revoked.id, 60)).toBeUndefined();
    expect(await tokens.list('acme')).toHaveLength(2);
  });

  it('belong to an organization that exists', async () => {
    await expect(tokens.issue({ ...TOKEN, organizationId: 'nobody' })).rejects.toThrow(/foreign key/);
  });
});

describe('organizations', () => {
  it('are created once: one of the same id stays as it was', async () => {
    expect(await organizations.create({ id: 'new', name: 'New' })).toBe(true);
    expect(await organizations.create({ id: 'new', name: 'Newer' })).toBe(false);
    expect(await dataSource.query(`SELECT name FROM access.organization WHERE id = 'new'`)).toEqual([
      { name: 'New' },
    ]);
  });

  it('have an id', async () => {
    await expect(organizations.create({ id: '', name: 'x' })).rejects.toThrow(/check constraint/);
  });
});
