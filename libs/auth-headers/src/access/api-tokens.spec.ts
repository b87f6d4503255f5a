import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { DataSource } from 'typeorm';
import { migrate, openDatabase } from '@cxp/storage';
import { createTestDatabase, runs, type TestDatabase } from '@cxp/testing';
import { accessDatabase } from './access.module';
import {
  ApiTokenRepository,
  ApiTokenVerifier,
  generateApiToken,
  hashApiToken,
  isWellFormedApiToken,
  type NewApiToken,
} from './api-tokens';
import { OrganizationRepository } from './organizations';

const TOKEN: NewApiToken = {
  organizationId: 'acme',
  name: 'backend',
  permissions: { $survey_link: ['create'] },
  lifetimeSeconds: null,
};

let database: TestDatabase;
let dataSource: DataSource;
let tokens: ApiTokenRepository;
let organizations: OrganizationRepository;

beforeAll(async () => {
  database = await createTestDatabase([accessDatabase], migrate);
  dataSource = await openDatabase(database.url, [accessDatabase]);
  tokens = new ApiTokenRepository(dataSource.manager);
  organizations = new OrganizationRepository(dataSource.manager);
  await organizations.create({ id: 'acme', name: 'Acme' });
});
afterEach(() => dataSource.query('TRUNCATE access.api_token'));
afterAll(async () => {
  await dataSource.destroy();
  await database.drop();
});

describe('ApiTokenRepository', () => {
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
});

describe('organizations', () => {
  it('are created once: one of the same id stays as it was', async () => {
    expect(await organizations.create({ id: 'new', name: 'New' })).toBe(true);
    expect(await organizations.create({ id: 'new', name: 'Newer' })).toBe(false);
    expect(await dataSource.query(`SELECT name FROM access.organization WHERE id = 'new'`)).toEqual([
      { name: 'New' },
    ]);
  });
});

describe('ApiTokenVerifier', () => {
  const CACHE_MS = 5_000;
  let verifier: ApiTokenVerifier;
  beforeEach(() => {
    verifier = new ApiTokenVerifier(tokens);
  });
  afterEach(() => jest.restoreAllMocks());

  function issue(lifetimeSeconds: number | null = null) {
    return tokens.issue({ ...TOKEN, lifetimeSeconds });
  }

  /** Lets time pass for whatever asks what time it is. */
  function pass(ms: number): void {
    const [now, uptime] = [Date.now() + ms, performance.now() + ms];
    jest.spyOn(Date, 'now').mockReturnValue(now);
    jest.spyOn(performance, 'now').mockReturnValue(uptime);
  }

  function countLookUps() {
    return jest.spyOn(tokens, 'findByHash');
  }

  it.each(['', 'secret', 'cxp_x', `${generateApiToken()}x`])(
    'does not look up %j, which is no token',
    async (text) => {
      const lookUps = countLookUps();
      expect(await verifier.verify(text)).toBe('unknown_token');
      expect(lookUps).not.toHaveBeenCalled();
    },
  );

  it('knows a new token at once, even one that was asked for before it was there', async () => {
    const token = generateApiToken();
    expect(await verifier.verify(token)).toBe('unknown_token');
    const { id } = await issue();
    await dataSource.query('UPDATE access.api_token SET hash = $1 WHERE id = $2', [hashApiToken(token), id]);
    expect(await verifier.verify(token)).toMatchObject({ id, permissions: TOKEN.permissions });
  });

  it('refuses a token from its expiry on, however lately it was looked up', async () => {
    const { token } = await issue(60);
    expect(await verifier.verify(token)).toMatchObject({ id: expect.any(String) });
    pass(60_000);
    expect(await verifier.verify(token)).toBe('expired_token');
  });

  it.each(['revoked', 'deleted'])('refuses a %s token after at most 5 seconds', async (fate) => {
    const { id, token } = await issue();
    expect(await verifier.verify(token)).toMatchObject({ id: expect.any(String) });
    if (fate === 'revoked') await tokens.revoke(id);
    else await dataSource.query('DELETE FROM access.api_token WHERE id = $1', [id]);
    pass(CACHE_MS);
    expect(await verifier.verify(token)).toBe('unknown_token');
  });

  it('looks a token up once for many concurrent calls and for those that follow', async () => {
    const { token } = await issue();
    const lookUps = countLookUps();
    await Promise.all(Array.from({ length: 100 }, () => verifier.verify(token)));
    await verifier.verify(token);
    expect(lookUps).toHaveBeenCalledTimes(1);
  });

  it('does not remember a failure of the database', async () => {
    const { token } = await issue();
    await dataSource.query('ALTER TABLE access.api_token RENAME TO gone');
    await expect(verifier.verify(token)).rejects.toThrow(/does not exist/);
    await dataSource.query('ALTER TABLE access.gone RENAME TO api_token');
    expect(await verifier.verify(token)).toMatchObject({ id: expect.any(String) });
  });
});

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const token = fc.noShrink(fc.constant(null).map(generateApiToken));

describe('the form of an API token', () => {
  it('has a recognisable prefix, 32 random characters and a checksum', () => {
    const made = Array.from({ length: 200 }, generateApiToken);
    for (const one of made) {
      expect(one).toMatch(/^cxp_[0-9A-Za-z]{38}$/);
      expect(isWellFormedApiToken(one)).toBe(true);
    }
    expect(new Set(made).size).toBe(made.length);
    expect(new Set(made.flatMap((one) => [...one.slice(4, 36)])).size).toBe(BASE62.length);
  });

  it('is refused when any single character is another', () => {
    const character = fc.oneof(
      fc.constantFrom(...BASE62),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(token, fc.nat(41), character, (sound, index, other) => {
        fc.pre(sound[index] !== other);
        expect(isWellFormedApiToken(sound.slice(0, index) + other + sound.slice(index + 1))).toBe(false);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is refused when two characters are swapped, one is left out, or one is added', () => {
    fc.assert(
      fc.property(token, fc.integer({ min: 0, max: 40 }), (sound, i) => {
        const [before, one, other, after] = [sound.slice(0, i), sound[i]!, sound[i + 1]!, sound.slice(i + 2)];
        if (one !== other) expect(isWellFormedApiToken(before + other + one + after)).toBe(false);
        expect(isWellFormedApiToken(before + other + after)).toBe(false);
        expect(isWellFormedApiToken(before + one + one + other + after)).toBe(false);
      }),
    );
  });

  it.each([
    '',
    'cxp_',
    'secret',
    `${generateApiToken()}\n`,
    ` ${generateApiToken()}`,
    generateApiToken().slice(4),
  ])('is not %j', (text) => {
    expect(isWellFormedApiToken(text)).toBe(false);
  });

  it('is hashed with SHA-256', () => {
    expect(hashApiToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
