import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { AccountSessionVerifier, ApiTokenRepository, ApiTokenVerifier } from '@cxp/access';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { runCxp } from './cxp-process';

const SECRET = '0123456789abcdef0123456789abcdef';

describe('npx cxp', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let directory: string;

  const cxp = (...args: string[]) =>
    runCxp({ DATABASE_URL: database.url, ACCOUNT_SESSION_SECRET: SECRET }, args);
  const json = async (...args: string[]) => {
    const { status, stdout, stderr } = await cxp(...args, '--json');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const verify = (token: string) => new ApiTokenVerifier(new ApiTokenRepository(dataSource)).verify(token);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cxp-test-'));
    database = await createTestDatabase();
    expect((await cxp('migrate')).status).toBe(0);
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    await json('organization', 'create', '--id', 'acme', '--name', 'Acme');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  describe('migrate', () => {
    it('is done once, and says so', async () => {
      expect(await json('migrate')).toEqual({
        migrations: { access: [], webchat: [], 'contact-center': [], survey: [] },
      });
    });

    it('takes one area', async () => {
      expect(await json('migrate', '--area', 'survey')).toEqual({ migrations: { survey: [] } });
    });

    it('runs beside itself', async () => {
      const empty = await createTestDatabase();
      const runs = await Promise.all(
        [1, 2, 3].map(() => runCxp({ DATABASE_URL: empty.url }, ['migrate', '--json'])),
      );
      expect(runs.map(({ status }) => status)).toEqual([0, 0, 0]);
      await empty.drop();
    });
  });

  it('creates an organization once', async () => {
    expect(await json('organization', 'create', '--id', 'twice', '--name', 'A')).toEqual({
      id: 'twice',
      created: true,
    });
    expect(await json('organization', 'create', '--id', 'twice', '--name', 'B')).toEqual({
      id: 'twice',
      created: false,
    });
  });

  describe('token', () => {
    const create = (...options: string[]) =>
      json('token', 'create', '--organization', 'acme', '--name', 'test', ...options);

    it('create prints a token that works, with the permissions named', async () => {
      const { id, token } = await create(
        '--permission',
        '$survey_link:create',
        '--permission',
        '$survey_response:list',
      );
      expect(await verify(token)).toMatchObject({
        id,
        organizationId: 'acme',
        permissions: { $survey_link: ['create'], $survey_response: ['list'] },
        expiresAt: null,
      });
    });

    it('create --expires-in sets an end', async () => {
      const { token } = await create('--expires-in', '90d');
      const expiresAt = (await verify(token))!.expiresAt!;
      expect((expiresAt.getTime() - Date.now()) / 86_400_000).toBeCloseTo(90, 2);
    });

    it('list shows tokens without their secret', async () => {
      const { id, token } = await create();
      const listed = await cxp('token', 'list', '--organization', 'acme', '--json');
      expect(JSON.parse(listed.stdout).tokens).toContainEqual(expect.objectContaining({ id, name: 'test' }));
      expect(listed.stdout).not.toContain(token);
    });

    it('revoke ends it', async () => {
      const { id, token } = await create();
      expect(await json('token', 'revoke', '--id', id)).toEqual({ id, revoked: true });
      expect(await verify(token)).toBeUndefined();
    });
  });

  it('creates account sessions that the platform could have signed', async () => {
    const { token } = await json(
      ...['account-session', 'create', '--organization', 'acme', '--account', '42'],
      ...['--permission', '$export_conversation_session:list'],
    );
    expect(await new AccountSessionVerifier({ secret: SECRET }).verify(token)).toEqual({
      accountId: '42',
      organizationId: 'acme',
      permissions: { $export_conversation_session: ['list'] },
    });
  });

  describe('import', () => {
    const source = (data: object) => JSON.stringify({ type: 'installed_source', data });
    const stored = () =>
      dataSource.query(
        'SELECT id::int, name FROM webchat.installed_source WHERE organization_id = $1 ORDER BY id',
        ['acme'],
      );
    const importFile = (file: string, ...options: string[]) =>
      cxp('import', '--area', 'webchat', '--organization', 'acme', file, ...options);

    it('loads what is sound and keeps what is not, with its reasons', async () => {
      const file = join(directory, 'sources.ndjson');
      writeFileSync(file, [source({ id: 1, name: 'Web' }), '', '{"type":', source({ id: 2 })].join('\r\n'));
      const { status, stdout, stderr } = await importFile(file, '--json');
      const rejectedFile = join(directory, 'sources.rejected.ndjson');
      expect(JSON.parse(stdout)).toEqual({ accepted: 1, rejected: 2, rejectedFile });
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: `cxp: 2 lines were rejected: ${rejectedFile}\n`,
      });
      const rejected = readFileSync(rejectedFile, 'utf8').trim().split('\n');
      expect(rejected.map((line) => JSON.parse(line))).toEqual([
        { line: 3, record: '{"type":', reasons: [expect.objectContaining({ loc: ['body', 3] })] },
        {
          line: 4,
          record: source({ id: 2 }),
          reasons: [{ loc: ['body', 4, 'data', 'name'], msg: 'Field required', type: 'missing' }],
        },
      ]);
      expect(await stored()).toEqual([{ id: 1, name: 'Web' }]);

      writeFileSync(file, source({ id: 1, name: 'Mended' }));
      expect((await importFile(file)).status).toBe(0);
      expect(existsSync(rejectedFile)).toBe(false);
      expect(await stored()).toEqual([{ id: 1, name: 'Mended' }]);
    });

    it('reads standard input', async () => {
      const { status } = await runCxp(
        { DATABASE_URL: database.url },
        ['import', '--area', 'webchat', '--organization', 'acme', '-'],
        source({ id: 7, name: 'Piped' }),
      );
      expect(status).toBe(0);
      expect(await stored()).toContainEqual({ id: 7, name: 'Piped' });
    });
  });

  it.each([
    [
      'an organization that does not exist',
      ['token', 'create', '--organization', 'nobody', '--name', 'x'],
      1,
    ],
    [
      'records of an organization that does not exist',
      ['import', '--area', 'webchat', '--organization', 'nobody', '-'],
      1,
    ],
    ['a token that does not exist', ['token', 'revoke', '--id', 'nothing'], 1],
    [
      'a file that does not exist',
      ['import', '--area', 'webchat', '--organization', 'acme', 'no-such-file'],
      1,
    ],
    ['an unknown command', ['bogus'], 2],
    ['an unknown area', ['migrate', '--area', 'moon'], 2],
    ['a missing option', ['organization', 'create', '--id', 'x'], 2],
    [
      'an unknown permission',
      ['token', 'create', '--organization', 'acme', '--name', 'x', '--permission', '$x:y'],
      2,
    ],
    [
      'a bad duration',
      ['token', 'create', '--organization', 'acme', '--name', 'x', '--expires-in', '3 weeks'],
      2,
    ],
    ['an id with a space', ['organization', 'create', '--id', 'a b', '--name', 'x'], 2],
  ])('answers %s with one line and the exit status of the interface', async (_, args, status) => {
    const result = await cxp(...args);
    expect(result.status).toBe(status);
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(result.stdout).toBe('');
  });

  it('says what is missing when there is neither a setting nor a local stack', async () => {
    const { status, stderr } = await runCxp({ LOCAL_STACK_DIRECTORY: directory }, ['migrate']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'cxp: DATABASE_URL is not set, and no local stack is running (npm start)\n',
    });
  });
});
