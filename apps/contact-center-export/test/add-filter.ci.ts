import { execFileSync } from 'node:child_process';
import { openDatabase } from '@cxp/storage';
import { accessDatabase } from '@cxp/auth-headers';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { DataSource } from 'typeorm';
import {
  type ServiceProcess,
  startService,
  typescriptRegister,
  workspaceRoot,
} from '@cxp/testing/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { createTestDatabase, createTestRedis, type TestDatabase } from '@cxp/testing';
import { record } from './builders/platform-records';
import { ACCOUNT_SESSION_SECRET, EVER, importRecords, listSessions } from './contact-center-service';

/** "A filter of B1" of tools/README.md, done to a copy of the app: three files, besides this one. */
const FILTERS = [
  [
    '  readonly sessionEndReasons?: readonly string[];',
    '$&\n  readonly sessionAgentNames?: readonly string[];',
  ],
  ["'session_end_reason'] as const", "'session_end_reason', 'agent_name'] as const"],
  ['    session_end_reason: session.sessionEndReason,', '$&\n    agent_name: session.sessionAgentName,'],
  [', sessionEndReasons }: FilterValues', ', sessionEndReasons, sessionAgentNames }: FilterValues'],
  [
    "    isOneOf('session_end_reason', 'text', sessionEndReasons),",
    "$&\n    isOneOf('agent_name', 'text', sessionAgentNames),",
  ],
  ['  sessionEndReasons,\n}: FilterValues', '  sessionEndReasons,\n  sessionAgentNames,\n}: FilterValues'],
  ['?? sessionEndReasons)', '?? sessionEndReasons ?? sessionAgentNames)'],
] as const;
const PARAMETER = `
  @FilterParameter('Comma-separated.', 'Linh,An')
  @IsString({ each: true })
  sessionAgentNames?: string[];
`;
const MIGRATION = `
class AddAgentName1999999999999 implements MigrationInterface {
  readonly transaction = false;
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of [
      \`ALTER TABLE contact_center.conversation_session ADD COLUMN IF NOT EXISTS agent_name text COLLATE "C" NOT NULL DEFAULT ''\`,
      'DROP INDEX CONCURRENTLY IF EXISTS contact_center.conversation_session_new_order',
      \`CREATE INDEX CONCURRENTLY conversation_session_new_order ON contact_center.conversation_session
        (organization_id, conversation_updated_at, conversation_id, session_index, ticket_id)
        INCLUDE (agent_email, account_id, session_end_reason, agent_name)\`,
      'DROP INDEX CONCURRENTLY IF EXISTS contact_center.conversation_session_order',
      'ALTER INDEX contact_center.conversation_session_new_order RENAME TO conversation_session_order',
    ]) await queryRunner.query(statement);
  }
  async down(): Promise<void> {}
}
`;

let source: string;
let database: TestDatabase;
let redis: Awaited<ReturnType<typeof createTestRedis>>;
let dataSource: DataSource;
let service: ServiceProcess | undefined;

beforeAll(async () => {
  mkdirSync(join(workspaceRoot, '.local'), { recursive: true });
  source = mkdtempSync(join(workspaceRoot, '.local/add-filter-'));
  cpSync(join(workspaceRoot, 'apps/contact-center-export/src'), source, { recursive: true });
  for (const [what, by] of FILTERS) replace('conversation-sessions/filters.ts', what, by);
  replace(
    'conversation-sessions/conversation-session.dto.ts',
    '  sessionEndReasons?: string[];',
    `$&${PARAMETER}`,
  );
  replace('database/migrations.ts', 'export const migrations', `${MIGRATION}$&`);
  replace('database/migrations.ts', /,?\s*\];\s*$/, ', AddAgentName1999999999999];');
  [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  dataSource = await openDatabase(database.url, [accessDatabase]);
});
afterAll(async () => {
  await service?.stop();
  await dataSource.destroy();
  await Promise.all([database.drop(), redis.close()]);
  rmSync(source, { recursive: true });
});

function replace(file: string, what: string | RegExp, by: string): void {
  const before = readFileSync(join(source, file), 'utf8');
  const after = before.replace(what, by);
  expect(after).not.toBe(before);
  writeFileSync(join(source, file), after);
}

it('by the recipe a filter works on a fresh database', async () => {
  const env = { ...process.env, DATABASE_URL: database.url, REDIS_URL: redis.url, ACCOUNT_SESSION_SECRET };
  execFileSync(process.execPath, ['-r', typescriptRegister, join(source, 'migrate.ts')], { env });
  service = await startService({
    entry: relative(workspaceRoot, join(source, 'main.ts')),
    env,
    portVariable: 'CONTACT_CENTER_PORT',
  });
  const caller = await issueTestToken(dataSource);
  const sessions = [
    ['c1', 'Ann'],
    ['c2', 'Bob'],
  ].flatMap(([id, name]) => [
    record.conversation({ id: id! }),
    record.activity({ id: id!, conversationId: id!, agent: { accountId: 1, email: 'a@example.com', name } }),
  ]);
  await importRecords(service, caller, sessions).expect(200);
  const { body } = await listSessions(service, caller, { ...EVER, sessionAgentNames: 'Bob' }).expect(200);
  expect(body).toMatchObject({ total: 1, items: [{ conversationId: 'c2', sessionAgentName: 'Bob' }] });
});
