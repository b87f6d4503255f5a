import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { openDatabase } from '@cxp/storage';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import {
  AccountSessionVerifier,
  ALL_PERMISSIONS,
  ApiTokenRepository,
  ApiTokenVerifier,
  EXTERNAL_PERMISSIONS,
  PLATFORM_PERMISSIONS,
  accessDatabase,
} from '@cxp/auth-headers';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { runCxp, startCxp } from './cxp-process';

const SECRET = '0123456789abcdef0123456789abcdef';

const TOKEN = ['token', 'create', '--organization', 'acme', '--name', 'x'];
const IMPORT = ['import', '--area', 'webchat', '--organization', 'acme'];
const ACCOUNT_SESSION = ['account-session', 'create', '--organization', 'acme', '--account', '1'];

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
  const verify = async (token: string) => {
    const found = await new ApiTokenVerifier(new ApiTokenRepository(dataSource.manager)).verify(token);
    return typeof found === 'string' ? undefined : found;
  };

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cxp-test-'));
    database = await createTestDatabase();
    expect((await startCxp({ DATABASE_URL: database.url }, ['migrate'])).status).toBe(0);
    dataSource = await openDatabase(database.url, [accessDatabase]);
    await json('organization', 'create', '--id', 'acme', '--name', 'Acme');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  it('has the version of the workspace', async () => {
    const { version } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect((await cxp('--version')).stdout.trim()).toBe(version);
  });

  it('is about the demo organization if a local stack runs and no other is named', async () => {
    writeFileSync(join(directory, 'demo.json'), JSON.stringify({ organizationId: 'acme' }));
    const environment = { DATABASE_URL: database.url, LOCAL_STACK_DIRECTORY: directory };
    const named = await runCxp(environment, ['token', 'list', '--organization', 'nobody']);
    expect(named).toMatchObject({ status: 1, stderr: 'cxp: there is no organization nobody\n' });
    expect(await runCxp(environment, ['token', 'list', '--json'])).toMatchObject({ status: 0 });
    rmSync(join(directory, 'demo.json'));
    const { status, stderr } = await runCxp(environment, ['token', 'list']);
    expect([status, stderr]).toEqual([2, expect.stringContaining("'--organization <id>' not specified")]);
  });

  describe('migrate', () => {
    it('is done once, and says so', async () => {
      expect(await json('migrate')).toEqual({
        migrations: { access: [], webchat: [], 'contact-center': [], survey: [] },
      });
    });

    it('runs beside itself', async () => {
      const empty = await createTestDatabase();
      const runs = await Promise.all(
        [1, 2, 3].map(() => startCxp({ DATABASE_URL: empty.url }, ['migrate', '--json'])),
      );
      expect(runs.map(({ status }) => status)).toEqual([0, 0, 0]);
      await empty.drop();
    });
  });

  describe('project', () => {
    it('derives rows again, and says how many conversations have other rows', async () => {
      const file = join(directory, 'project.ndjson');
      const agent = { accountId: 1, email: 'ann@example.com' };
      writeFileSync(
        file,
        ['c-1', 'c-2']
          .flatMap((id) => [
            {
              type: 'conversation',
              data: { id, createdAt: '2026-01-05T00:00:00Z', updatedAt: '2026-01-05T01:00:00Z' },
            },
            {
              type: 'activity',
              data: { id, conversationId: id, action: 'assign', occurredAt: '2026-01-05T00:10:00Z', agent },
            },
          ])
          .map((record) => JSON.stringify(record))
          .join('\n'),
      );
      await json('organization', 'create', '--id', 'projected', '--name', 'Projected');
      await json('import', '--area', 'contact-center', '--organization', 'projected', file);
      const project = () => json('project', '--organization', 'projected');
      expect(await project()).toEqual({ conversations: 2, changed: 0 });

      // As if a release before had derived one of the rows in another way.
      await dataSource.query(
        `UPDATE contact_center.conversation_session SET document = '{}', digest = 1
         WHERE organization_id = 'projected' AND conversation_id = 'c-1'`,
      );
      expect(await project()).toEqual({ conversations: 2, changed: 1 });
      expect(
        await dataSource.query(
          `SELECT conversation_id, change FROM contact_center.conversation_session
           WHERE organization_id = 'projected' ORDER BY change`,
        ),
      ).toEqual([
        { conversation_id: 'c-2', change: '2' },
        { conversation_id: 'c-1', change: '3' },
      ]);
      expect((await json('project', '--area', 'contact-center')).conversations).toBeGreaterThanOrEqual(2);
    }, 120_000);
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
    expect((await json('organization', 'list')).organizations).toContainEqual({ id: 'twice', name: 'A' });
  });

  describe('token', () => {
    const create = (...options: string[]) =>
      json('token', 'create', '--organization', 'acme', '--name', 'test', ...options);
    const READ = ['--permission', '$survey_response:list'];
    const daysUntil = (date: Date | null) => (date!.getTime() - Date.now()) / 86_400_000;

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
      const { token } = await create(...READ, '--expires-in', '90d');
      expect(daysUntil((await verify(token))!.expiresAt)).toBeCloseTo(90, 2);
    });

    it.each<[string, string[], object]>([
      ['--all-permissions', [], EXTERNAL_PERMISSIONS],
      ['--platform', [], PLATFORM_PERMISSIONS],
      ['--all-permissions', ['--platform'], ALL_PERMISSIONS],
      ['--platform', READ, { $survey_response: ['list'] }],
      ['--platform', ['--all-permissions', ...READ], EXTERNAL_PERMISSIONS],
      ['--platform', ['--permission', '$conversation:write'], { $conversation: ['write'] }],
      [
        '--platform',
        ['--all-permissions', '--permission', '$conversation:write'],
        { ...EXTERNAL_PERMISSIONS, $conversation: ['write'] },
      ],
    ])(
      'create %s %j gives what is named, and the internal permissions only with --platform',
      async (option, more, permissions) => {
        const { token } = await create(option, ...more);
        expect((await verify(token))!.permissions).toEqual(permissions);
      },
    );

    it('rotate prints a token that may do the same for as long; both are valid until the overlap is over', async () => {
      const old = await create(...READ, '--expires-in', '90d');
      const fresh = await json('token', 'rotate', '--id', old.id, '--overlap', '3d');
      const { permissions, expiresAt } = (await verify(fresh.token))!;
      expect(permissions).toEqual({ $survey_response: ['list'] });
      expect(daysUntil(expiresAt)).toBeCloseTo(90, 2);
      expect(daysUntil((await verify(old.token))!.expiresAt)).toBeCloseTo(3, 2);

      const again = await cxp('token', 'rotate', '--id', old.id);
      expect({ status: again.status, printed: again.stderr }).toEqual({
        status: 1,
        printed: `cxp: token ${old.id} was replaced before: rotate ${fresh.id}\n`,
      });
    });

    it('rotate overlaps by a day unless an option sets it, and leaves the new one without an end if the old one had none', async () => {
      const old = await create(...READ);
      const fresh = await json('token', 'rotate', '--id', old.id);
      expect((await verify(fresh.token))!.expiresAt).toBeNull();
      expect(daysUntil((await verify(old.token))!.expiresAt)).toBeCloseTo(1, 2);
    });

    it('rotate of a token that has ended says what to do', async () => {
      const { id } = await create(...READ);
      await json('token', 'revoke', '--id', id);
      expect((await cxp('token', 'rotate', '--id', id)).stderr).toBe(
        `cxp: token ${id} has ended: create a new one\n`,
      );
    });

    it('list shows tokens without their secret', async () => {
      const { id, token } = await create(...READ);
      const listed = await cxp('token', 'list', '--organization', 'acme', '--json');
      expect(JSON.parse(listed.stdout).tokens).toContainEqual(expect.objectContaining({ id, name: 'test' }));
      expect(listed.stdout).not.toContain(token);
    });

    it('lists show what a terminal obeys by its number', async () => {
      await cxp('organization', 'create', '--id', 'foreign', '--name', 'a\u001b[2J\nb');
      await cxp('token', 'create', '--organization', 'foreign', '--name', 'c\u009b2J\nd', ...READ.slice(-2));
      const shown = await Promise.all([
        cxp('organization', 'list'),
        cxp('token', 'list', '--organization', 'foreign'),
      ]);
      expect(shown[0].stdout).toContain('foreign  a\\u001b[2J\\u000ab\n');
      expect(shown[1].stdout).toContain('  c\\u009b2J\\u000ad  ');
    });

    it('revoke ends it', async () => {
      const { id, token } = await create(...READ);
      expect(await json('token', 'revoke', '--id', id)).toEqual({ id, revoked: true });
      expect(await verify(token)).toBeUndefined();
    });
  });

  describe('token check', () => {
    const READ = '$survey_response:list';
    const check = async (token: string, organization: string, ...options: string[]) => {
      const { status, stdout, stderr } = await cxp(
        ...['token', 'check', '--token', token, '--organization', organization, ...options],
      );
      return { status, printed: stderr.trim() || stdout.trim() };
    };
    let token: string;
    beforeAll(async () => {
      ({ token } = await json(
        ...['token', 'create', '--organization', 'acme', '--name', 'checked', '--permission', READ],
      ));
    });

    it('says that a token is valid, and what it may do', async () => {
      const { status, printed } = await check(token, 'acme', '--permission', READ);
      expect({ status, printed }).toEqual({
        status: 0,
        printed: expect.stringMatching(/^The token is valid: .*list$/),
      });
      const shown = await json('token', 'check', '--token', token, '--organization', 'acme');
      expect(shown).toMatchObject({
        valid: true,
        problems: [],
        token: { organizationId: 'acme', name: 'checked' },
      });
      expect(JSON.stringify(shown)).not.toContain(token);
    });

    it('names everything that is wrong', async () => {
      const { id, token: other } = await json(
        ...['token', 'create', '--organization', 'acme', '--name', 'wrong', '--expires-in', '1s'],
        ...['--permission', '$survey_link:create'],
      );
      await json('token', 'revoke', '--id', id);
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const { status, printed } = await check(other, 'other', '--permission', READ);
      expect(status).toBe(1);
      expect(printed).toMatch(
        /^cxp: the token belongs to organization acme, not to other; the token was revoked at \S+; the token expired at \S+; the token does not have the permission \$survey_response:list$/,
      );
    });

    it.each([
      [
        'with a wrong character',
        (right: string) => `${right.slice(0, -1)}${right.endsWith('x') ? 'y' : 'x'}`,
        'checksum',
      ],
      ['of another database', () => 'cxp_AiAnqy9CuQkpvVIg5u0h3EpVfPkx1P1vHXZ7Yb', 'checksum|no such token'],
      ['with its scheme', (right: string) => `Bearer ${right}`, 'without "Bearer"'],
      ['of a user', () => 'eyJhbGciOiJIUzI1NiJ9.e30.x', 'auth-type: account'],
      ['that is none', () => 'secret', 'begin with cxp_'],
    ])('says what is wrong with a token %s', async (_, written, words) => {
      const { status, printed } = await check(written(token), 'acme');
      expect(status).toBe(1);
      expect(printed).toMatch(new RegExp(words));
      const asJson = await cxp(
        ...['token', 'check', '--token', written(token), '--organization', 'acme', '--json'],
      );
      expect(JSON.parse(asJson.stdout)).toMatchObject({ valid: false });
    });
  });

  it.each([
    ['token', 'create'],
    ['token', 'check'],
    ['account-session', 'create'],
  ])('%s %s --help lists every permission', async (...command) => {
    const { stdout } = await cxp(...command, '--help');
    for (const [resource, actions] of Object.entries(ALL_PERMISSIONS)) {
      for (const action of actions) expect(stdout).toContain(`${resource}:${action}  `);
    }
  });

  it('creates account sessions that the platform could have signed', async () => {
    const { token } = await json(
      ...['account-session', 'create', '--organization', 'acme', '--account', '42'],
      ...['--permission', '$export_conversation_session:list'],
    );
    expect(await new AccountSessionVerifier({ key: { secret: SECRET } }).verify(token)).toEqual({
      accountId: '42',
      organizationId: 'acme',
      permissions: { $export_conversation_session: ['list'] },
    });
  });

  it.each<[what: string, args: string[], status: number, words: RegExp]>([
    [
      'an organization that does not exist',
      ['token', 'create', '--organization', 'nobody', '--name', 'x', '--all-permissions'],
      1,
      /^there is no such organization$/,
    ],
    ['tokens of nobody', ['token', 'list', '--organization', 'nobody'], 1, /no organization nobody$/],
    ['a rotation of a token that does not exist', ['token', 'rotate', '--id', 'nothing'], 1, /no token/],
    ['a token without a permission', TOKEN, 2, /needs a permission/],
    [
      'an internal permission without --platform',
      [...TOKEN, '--permission', '$platform_record:import'],
      2,
      /--platform$/,
    ],
    [
      'an internal permission of an account',
      [...ACCOUNT_SESSION, '--permission', '$conversation:write'],
      2,
      /--platform$/,
    ],
    ['records of nobody', ['import', '--area', 'webchat', '--organization', 'nobody', '-'], 1, /nobody$/],
    ['a token that does not exist', ['token', 'revoke', '--id', 'nothing'], 1, /no token nothing$/],
    ['a file that does not exist', [...IMPORT, 'no-such-file'], 1, /^there is no file no-such-file$/],
    ['a directory', [...IMPORT, '.'], 1, /is a directory$/],
    ['an unknown command', ['bogus'], 2, /bogus/],
    ['an unknown area', ['migrate', '--area', 'moon'], 2, /moon/],
    ['a projection of another area', ['project', '--area', 'survey'], 2, /survey/],
    ['a projection of nobody', ['project', '--organization', 'nobody'], 1, /nobody$/],
    ['a missing option', ['organization', 'create', '--id', 'x'], 2, /--name/],
    ['an unknown permission', [...TOKEN, '--permission', '$x:y'], 2, /there are: \$webchat_session:create, /],
    ['a bad duration', [...TOKEN, '--all-permissions', '--expires-in', '3 weeks'], 2, /durations are/],
    ['an id with a space', ['organization', 'create', '--id', 'a b', '--name', 'x'], 2, /ids are/],
    [
      'the database of a copy that does not answer',
      [
        ...['follow', '--area', 'survey', '--organization', 'x', '--token', 'x'],
        ...['--url', 'http://127.0.0.1:9', '--to', 'postgres://127.0.0.1:1/x'],
      ],
      1,
      /is --to right\? /,
    ],
  ])('says plainly what is wrong with %s, in one line', async (_, args, status, words) => {
    const result = await cxp(...args);
    expect(result).toMatchObject({ status, stdout: '' });
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
    expect(result.stderr.trim().replace(/^(cxp|error): /, '')).toMatch(words);
  });

  it.each([
    ['postgres://localhost:1/x', /^cxp: the database does not answer: is DATABASE_URL right\? /],
    [
      'nonsense',
      /^cxp: DATABASE_URL is no URL of PostgreSQL \(postgres:\/\/user:password@host\/database\)\n$/,
    ],
  ])('says plainly what is wrong with the database %s', async (url, words) => {
    expect((await runCxp({ DATABASE_URL: url }, ['migrate'])).stderr).toMatch(words);
  });

  it('says that the schemas are not there', async () => {
    const empty = await createTestDatabase();
    const create = ['organization', 'create', '--id', 'x', '--name', 'x'];
    const { stderr } = await runCxp({ DATABASE_URL: empty.url }, create);
    expect(stderr).toBe('cxp: the schemas are not there: run npx cxp migrate\n');
    await empty.drop();
  });

  it('says what is missing when there is neither a setting nor a local stack', async () => {
    const { status, stderr } = await runCxp({ LOCAL_STACK_DIRECTORY: directory }, ['migrate']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'cxp: DATABASE_URL is not set, and no local stack is running (npm start)\n',
    });
  });
});
