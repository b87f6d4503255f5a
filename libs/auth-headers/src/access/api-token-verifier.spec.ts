import type { DataSource } from 'typeorm';
import { openAccessDatabase } from '../../test/access-database';
import { ApiTokenRepository, ApiTokenVerifier, generateApiToken, hashApiToken } from './api-tokens';

const CACHE_MS = 5_000;

let dataSource: DataSource;
let close: () => Promise<void>;
let tokens: ApiTokenRepository;
let verifier: ApiTokenVerifier;

beforeAll(async () => {
  ({ dataSource, close } = await openAccessDatabase());
  tokens = new ApiTokenRepository(dataSource.manager);
});
beforeEach(() => {
  verifier = new ApiTokenVerifier(tokens);
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => close());

function issue(lifetimeSeconds: number | null = null) {
  return tokens.issue({ organizationId: 'acme', name: 'backend', permissions: {}, lifetimeSeconds });
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

it('finds who holds a token', async () => {
  const { id, token } = await issue();
  expect(await verifier.verify(token)).toMatchObject({ id, organizationId: 'acme', permissions: {} });
});

it.each(['', 'secret', 'cxp_x', `${generateApiToken()}x`])(
  'does not look up %j, which is no token',
  async (text) => {
    const lookUps = countLookUps();
    expect(await verifier.verify(text)).toBe('unknown_token');
    expect(lookUps).not.toHaveBeenCalled();
  },
);

it('does not know a sound token that nobody issued', async () => {
  expect(await verifier.verify(generateApiToken())).toBe('unknown_token');
});

it('knows a new token at once, even one that was asked for before it was there', async () => {
  const token = generateApiToken();
  expect(await verifier.verify(token)).toBe('unknown_token');
  const { id } = await issue();
  await dataSource.query('UPDATE access.api_token SET hash = $1 WHERE id = $2', [hashApiToken(token), id]);
  expect(await verifier.verify(token)).toMatchObject({ id });
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

it('refuses a revoked token at once when it was not in use', async () => {
  const { id, token } = await issue();
  await tokens.revoke(id);
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
