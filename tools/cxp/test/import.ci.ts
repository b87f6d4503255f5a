import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { runCxp, startCxp } from './cxp-process';
import { campaignRecord } from './campaign-record';

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

describe('npx cxp import', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let directory: string;

  const cxp = (...args: string[]) => runCxp({ DATABASE_URL: database.url }, args);

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cxp-test-'));
    database = await createTestDatabase();
    expect((await cxp('migrate')).status).toBe(0);
    dataSource = await new DataSource({ type: 'postgres', url: database.url }).initialize();
    await cxp('organization', 'create', '--id', 'acme', '--name', 'Acme');
  });
  afterAll(async () => {
    await dataSource.destroy();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

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
    expect(statSync(rejectedFile).mode & 0o777).toBe(0o600);
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

    await cxp('import', '--area', 'webchat', '--organization', 'mistyped', file);
    expect(readFileSync(rejectedFile, 'utf8').trim().split('\n')).toEqual(rejected);

    writeFileSync(file, source({ id: 1, name: 'Mended' }));
    expect((await importFile(file)).status).toBe(0);
    expect(existsSync(rejectedFile)).toBe(false);
    expect(await stored()).toEqual([{ id: 1, name: 'Mended' }]);
  });

  it('keeps the records beyond what a conversation may have, and loads those of others', async () => {
    const file = join(directory, 'activities.ndjson');
    const activity = (id: number, conversationId: string) =>
      JSON.stringify({
        type: 'activity',
        data: { id: `a-${id}`, conversationId, action: 'assign', occurredAt: '2026-01-05T00:00:00Z' },
      });
    const lines = Array.from({ length: 11_000 }, (_, id) => activity(id, 'c'));
    writeFileSync(file, [...lines, activity(11_000, 'other')].join('\n'));
    const { stdout } = await cxp(
      ...['import', '--area', 'contact-center', '--organization', 'acme', file, '--json'],
    );
    const rejectedFile = join(directory, 'activities.rejected.ndjson');
    expect(JSON.parse(stdout)).toEqual({ accepted: 10_001, rejected: 1_000, rejectedFile });
    const msg = 'conversation c must have at most 10,000 records with 4 MiB of text';
    expect(JSON.parse(readFileSync(rejectedFile, 'utf8').split('\n')[0]!)).toEqual({
      line: 10_001,
      record: lines[10_000],
      reasons: [{ loc: ['body', 10_001, 'data', 'conversationId'], msg, type: 'too_large' }],
    });
    const counts = await dataSource.query(
      `SELECT conversation_id, count(*)::int FROM contact_center.record WHERE organization_id = 'acme' AND type = 'activity'
       GROUP BY conversation_id ORDER BY conversation_id`,
    );
    expect(counts).toEqual([
      { conversation_id: 'c', count: 10_000 },
      { conversation_id: 'other', count: 1 },
    ]);
  });

  it('accepts and ignores what has expired', async () => {
    const file = join(directory, 'expired.ndjson');
    const importKept = async (area: string, variable: string, days: string, records: object[]) => {
      writeFileSync(file, records.map((record) => JSON.stringify(record)).join('\n'));
      return runCxp({ DATABASE_URL: database.url, [variable]: days }, [
        ...['import', '--area', area, '--organization', 'acme', file, '--json'],
      ]);
    };
    const conversations = (...ages: number[]) =>
      ages.map((age) => {
        const [createdAt, updatedAt] = [daysAgo(100), daysAgo(age)];
        return { type: 'conversation', data: { id: `${age} days`, createdAt, updatedAt } };
      });
    const imported = await importKept(
      ...(['contact-center', 'CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS', '30'] as const),
      conversations(29, 31),
    );
    expect(JSON.parse(imported.stdout)).toMatchObject({ accepted: 2, rejected: 0 });
    expect(
      await dataSource.query(
        `SELECT id FROM contact_center.record WHERE organization_id = 'acme' AND type = 'conversation' AND id LIKE '% days'`,
      ),
    ).toEqual([{ id: '29 days' }]);

    const campaign = randomUUID();
    const [kept, expired] = [randomUUID(), randomUUID()];
    const response = (identifier: string, age: number) => ({
      type: 'survey_response',
      data: { identifier, survey_campaign_id: campaign, sent_timestamp: daysAgo(age), source: 'Email' },
    });
    const responses = [campaignRecord(campaign, 'active'), response(kept, 29), response(expired, 31)];
    const survey = ['survey', 'SURVEY_RESPONSES_KEPT_DAYS'] as const;
    expect(JSON.parse((await importKept(...survey, '30', responses)).stdout)).toMatchObject({ accepted: 3 });
    expect(
      await dataSource.query(`SELECT identifier FROM survey.response WHERE organization_id = 'acme'`),
    ).toEqual([{ identifier: kept }]);
    const { status, stderr } = await importKept(...survey, '0', responses);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^cxp: bad settings: SURVEY_RESPONSES_KEPT_DAYS must .*\n$/);
  });

  it('neither cuts nor removes a file that no import wrote', async () => {
    const [file, other] = [join(directory, 'own.ndjson'), join(directory, 'own.rejected.ndjson')];
    writeFileSync(other, '{"mine":1}');
    for (const [id, record] of [source({ id: 3, name: 'Sound' }), source({ id: 3 })].entries()) {
      writeFileSync(file, record);
      const { status, stderr } = await importFile(file);
      expect([status, stderr]).toEqual([
        id,
        id === 0 ? '' : expect.stringContaining('(it is no list of rejected lines)'),
      ]);
      expect(readFileSync(other, 'utf8')).toBe('{"mine":1}');
    }
  });

  it('reads standard input', async () => {
    const { status } = await startCxp(
      { DATABASE_URL: database.url },
      ['import', '--area', 'webchat', '--organization', 'acme', '-'],
      source({ id: 7, name: 'Piped' }),
    );
    expect(status).toBe(0);
    expect(await stored()).toContainEqual({ id: 7, name: 'Piped' });
  });

  it('ends with one line if a refused line can not be kept, and may then be repeated', async () => {
    // No user can make a file there.
    const { status, stdout, stderr } = await startCxp(
      { DATABASE_URL: database.url },
      ['import', '--area', 'webchat', '--organization', 'acme', '-'],
      [source({ id: 8, name: 'Sound' }), source({ id: 9 })].join('\n'),
      '/proc',
    );
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^cxp: line 2 was refused, and stdin\.rejected\.ndjson can not be written \(ENOENT.*\): import the file again .*\n$/,
      ) as string,
    });
    expect(await stored()).toContainEqual({ id: 8, name: 'Sound' });
  });
});
