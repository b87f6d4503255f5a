import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/local-servers';

/** What "A filter of B1" of tools/README.md changes, and nothing else. */
const STEPS: readonly (readonly [file: string, before: string, after: string])[] = [
  [
    'src/conversation-sessions/filters.ts',
    '} as const satisfies',
    `  channelTypes: {
    description: 'Comma-separated.',
    example: 'chat',
    check: IsString({ each: true }),
    column: 'channel_type',
    type: 'text',
    valueOf: ({ session }) => session.channelType,
  },
} as const satisfies`,
  ],
  [
    'src/database/migrations.ts',
    'export const migrations = [',
    `export class AddChannelTypeFilter1799999999999 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(\`
      ALTER TABLE contact_center.conversation_session ADD COLUMN channel_type text COLLATE "C" NOT NULL DEFAULT '';
      DROP INDEX contact_center.conversation_session_order;
      CREATE INDEX conversation_session_order ON contact_center.conversation_session
        (organization_id, conversation_updated_at, conversation_id, session_index, ticket_id)
        INCLUDE (agent_email, account_id, session_end_reason, channel_type);
    \`);
  }

  async down(): Promise<void> {}
}

export const migrations = [`,
  ],
  ['src/database/migrations.ts', '];', ', AddChannelTypeFilter1799999999999];'],
  ['test/list-filters.e2e.ts', 'record.ticket({ id: 71,', "record.ticket({ id: 71, channelType: 'zalo',"],
  [
    'test/list-filters.e2e.ts',
    "    ['none', {}, ALL],",
    "    ['none', {}, ALL],\n    ['a channel', { channelTypes: ' zalo,sms' }, ['c7/0']],",
  ],
];

let copy: string;
beforeAll(async () => {
  await mkdir(join(workspaceRoot, '.local'), { recursive: true });
  copy = await mkdtemp(join(workspaceRoot, '.local', 'made-up-filter-'));
  await cp(join(workspaceRoot, 'apps/contact-center-export'), copy, { recursive: true });
});
afterAll(() => rm(copy, { recursive: true, force: true }));

it('a filter is an entry, a migration and a case; the index includes it, on a fresh database', async () => {
  for (const [file, before, after] of STEPS) {
    const text = await readFile(join(copy, file), 'utf8');
    expect(text).toContain(before);
    await writeFile(
      join(copy, file),
      text.replace(before, () => after),
    );
  }
  const jest = join(workspaceRoot, 'node_modules/jest/bin/jest.js');
  const config = join(workspaceRoot, 'jest.preset.js');
  const tests = ['list-filters', 'session-changes.properties'];
  const { stderr } = await promisify(execFile)(
    process.execPath,
    [jest, '--config', config, '--rootDir', copy, '--verbose', ...tests],
    { cwd: workspaceRoot },
  );
  expect(stderr).toContain('a channel');
  expect(stderr).toContain('2 passed, 2 total');
}, 600_000);
