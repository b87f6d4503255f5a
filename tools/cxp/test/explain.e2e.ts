import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppModule } from '@cxp/contact-center-export/app.module';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { startTestService, type TestService } from '@cxp/service-kit/testing';
import { importRecords, record } from '@cxp/system-tests/http';
import { runCxp } from './cxp-process';

let service: TestService;
let directory: string;
let organizationId: string;

const at = (time: string) => `2026-01-05T${time}:00.000Z`;
const last = (time: string) => `9999-12-31T${time}:00.000Z`;

beforeAll(async () => {
  service = await startTestService(AppModule, contactCenterDatabase);
  directory = await mkdtemp(join(tmpdir(), 'cxp-explain-'));
  const caller = await service.caller();
  ({ organizationId } = caller);
  const of = { conversationId: 'c' };
  const ofForeign = { conversationId: 'foreign' };
  const ofLast = { conversationId: 'last' };
  const agent = { accountId: 7, email: 'linh@example.com' };
  const records = [
    record('human_schedule', { weekly: [{ weekday: 1, start: '08:30', end: '12:00' }] }),
    record('conversation', { id: 'c', createdAt: at('03:50'), updatedAt: at('04:30') }),
    record('activity', { ...of, id: 'handoff', action: 'route_to_human', occurredAt: at('03:58') }),
    record('activity', { ...of, id: 'assigned', action: 'assign', occurredAt: at('04:01'), agent }),
    record('message', { ...of, id: 'first', senderType: 'agent', sentAt: at('04:13') }),
    record('conversation', { id: 'foreign', createdAt: at('03:50'), updatedAt: at('04:30') }),
    record('conversation', { id: 'none', createdAt: at('03:50'), updatedAt: at('04:30') }),
    record('conversation', { id: 'waits\u001b[2J', createdAt: at('03:50'), updatedAt: at('04:30') }),
    record('activity', {
      conversationId: 'waits\u001b[2J',
      id: 'w',
      action: 'route_to_human',
      occurredAt: at('03:58'),
    }),
    record('activity', {
      ...ofForeign,
      id: 'late\u001b[2J\n\u009b\u202e',
      action: 'route_to_human',
      occurredAt: at('04:20'),
    }),
    record('activity', { ...ofForeign, id: 'again', action: 'assign', occurredAt: at('04:21'), agent }),
    record('conversation', { id: 'last', createdAt: last('20:00'), updatedAt: last('23:59') }),
    record('activity', { ...ofLast, id: 'l1', action: 'route_to_human', occurredAt: last('20:01') }),
    record('activity', { ...ofLast, id: 'l2', action: 'assign', occurredAt: last('20:02'), agent }),
    record('message', { ...ofLast, id: 'l3', senderType: 'agent', sentAt: last('23:59') }),
  ];
  await importRecords(service.url, caller, records);
});
afterAll(async () => {
  await rm(directory, { recursive: true });
  await service.stop();
});

const explain = (...options: string[]) =>
  runCxp(service.environment, ['explain', '--organization', organizationId, ...options]);

it('shows a line for each point, in their order', async () => {
  const { status, stdout, stderr } = await explain('c');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = stdout.split('\n');
  const points = lines.filter((line) => /^  (2026\S+ \S+|-) +\w/.test(line));
  const times = points.map((line) => line.slice(2, 21).replace(/^-.*/, 'not yet'));
  expect(times).toEqual([...times].sort());
  expect(times).toContain('not yet');
  expect(lines).toEqual(
    expect.arrayContaining([
      'Conversation c, times of Asia/Singapore',
      'Row: session 0, no ticket',
      '    assign opens a session; nothing has ended it (open_at_end)',
      '  2026-01-05 11:58:00  botHandoffAt           activity handoff',
      '        900  waitTimeSeconds',
      '        120  waitTimeBusinessHoursSeconds',
      '    2026-01-05 11:58:00 to 2026-01-05 12:00:00  counted',
      '    2026-01-05 12:00:00 to 2026-01-05 12:13:00  closed',
    ]),
  );
});

it('shows the year 10000, where that is the local one of 9999', async () => {
  const { status, stdout, stderr } = await explain('last');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const lines = stdout.split('\n');
  expect(lines).toEqual(
    expect.arrayContaining([
      '  10000-01-01 04:01:00  botHandoffAt           activity l1',
      expect.stringMatching(/^ +\d+  waitTimeSeconds$/),
    ]),
  );
});

it('shows what a terminal obeys by its number', async () => {
  const { stdout } = await explain('foreign');
  expect(stdout).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
  expect(stdout).toContain('botHandoffAt           activity late\\u001b[2J\\u000a\\u009b\\u202e\n');
});

it.each([
  ['none', 'none', 'taken by no agent yet.'],
  ['waits\u001b[2J', 'waits\\u001b[2J', 'handed over at 2026-01-05 11:58:00, taken by no agent yet.'],
])('says why %j has no rows', async (id, shown, why) => {
  const { status, stdout } = await explain(id);
  expect(status).toBe(0);
  expect(stdout).toBe(`Conversation ${shown}, times of Asia/Singapore\nNo rows: ${why}\n`);
  expect((await explain(id, '--json')).stdout).not.toMatch(/[^\P{Cc}\n]/u);
});

it('explains with another schedule, as JSON', async () => {
  const file = join(directory, 'schedule.json');
  await writeFile(file, JSON.stringify({ weekly: [{ weekday: 1, start: '08:30', end: '17:30' }] }));
  const { stdout } = await explain('c', '--schedule', file, '--json');
  const { rows } = JSON.parse(stdout) as { rows: { metrics: Record<string, { seconds: number }> }[] };
  expect(rows[0]!.metrics.waitTimeBusinessHoursSeconds).toMatchObject({ seconds: 900, omitted: [] });
});

it.each<[string, string[], number, string]>([
  ['an unknown conversation', ['x'], 1, 'has no conversation x'],
  ['an unknown conversation', ['x\u001b[2J'], 1, String.raw`has no conversation x\\u001b\[2J`],
  ['an unknown organization', ['c', '--organization', 'x'], 1, 'there is no organization x'],
  ['an unknown timezone', ['c', '--timezone', 'Mars'], 2, 'Mars is no IANA timezone name'],
  ['a file that does not exist', ['c', '--schedule', '/none.json'], 1, 'there is no file /none.json'],
])('%s is one line', async (_, options, status, message) => {
  const result = await explain(...options);
  expect(result).toMatchObject({ status, stdout: '' });
  expect(result.stderr).toMatch(new RegExp(`^cxp: .*${message}\n$`));
});

it('a wrong schedule is one line that says where', async () => {
  const file = join(directory, 'wrong.json');
  await writeFile(file, JSON.stringify({ weekly: [{ weekday: 1, start: '9', end: '17:30' }] }));
  expect((await explain('c', '--schedule', file)).stderr).toMatch(
    /^cxp: the schedule is wrong at weekly\.0\.start: /,
  );
});
