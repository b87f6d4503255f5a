import { Pool } from 'pg';
import { type ConversationSession, CxpClient } from '@cxp/client';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import {
  type CopyOptions,
  type FollowedFeed,
  followedFeeds,
  Follower,
  type FollowSummary,
  PostgresDatabase,
  TableCopy,
} from '@cxp/follower';
import { type Caller, startTestService, type TestService } from '@cxp/service-kit/testing';
import { importRecords } from '@cxp/system-tests/http';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';

export const AREA = followedFeeds.find(({ name }) => name === 'contact-center')!;

interface FollowOptions extends CopyOptions {
  readonly verify?: boolean;
  readonly area?: FollowedFeed;
  readonly schema?: string;
}

/** Area B, and in each test another organization and an empty PostgreSQL for its copy. */
export class FollowedCopy {
  service!: TestService;
  caller!: Caller;
  client!: CxpClient;
  target!: TestDatabase;
  pool!: Pool;
  reports: string[] = [];

  async start(): Promise<void> {
    this.service = await startTestService(ContactCenterModule, contactCenterDatabase);
  }

  async begin(): Promise<void> {
    this.useCaller(await this.service.caller());
    this.target = await createTestDatabase();
    this.connect();
    this.reports = [];
  }

  async end(): Promise<void> {
    await this.pool.end();
    await this.target.drop();
  }

  connect(): void {
    this.pool = new Pool({ connectionString: this.target.url });
    this.pool.on('error', () => undefined);
  }

  useCaller(caller: Caller): void {
    this.caller = caller;
    const { organizationId, token } = caller;
    this.client = new CxpClient({ organizationId, token, urls: { contactCenter: this.service.url } });
  }

  /** A follower of this test's organization, run in this process. */
  follow = ({
    verify = false,
    area = AREA,
    schema,
    ...options
  }: FollowOptions = {}): Promise<FollowSummary> => {
    const database = new PostgresDatabase(this.pool, schema);
    const copy = new TableCopy(database, area, this.caller.organizationId, options);
    const report = (line: string) => void this.reports.push(line);
    return new Follower(this.client, copy, { once: true, verify, report }).run();
  };

  /** As after a failover: cursors of before are expired. */
  beginEpoch = () =>
    this.service.dataSource.query('UPDATE contact_center.change_epoch SET epoch = gen_random_uuid()');

  load = (...groups: object[][]): Promise<void> =>
    importRecords(this.service.url, this.caller, groups.flat());

  /** The copy holds exactly the rows that the export lists, field by field. */
  expectCopyOfExport = async (count?: number): Promise<void> => {
    const listed: ConversationSession[] = [];
    const window = { startDate: '2000-01-01', endDate: '2099-12-31' };
    for await (const row of this.client.conversationSessions.list(window)) listed.push(row);
    const { rows } = await this.pool.query<{ row: ConversationSession }>(
      'SELECT "row" FROM cxp.conversation_session',
    );
    const byKey = (all: ConversationSession[]) =>
      new Map(all.map((row) => [JSON.stringify([row.conversationId, row.sessionIndex, row.ticketId]), row]));
    expect(rows).toHaveLength(listed.length);
    expect(byKey(rows.map(({ row }) => row))).toEqual(byKey(listed));
    if (count !== undefined) expect(rows).toHaveLength(count);
  };
}

export function followedCopy(): FollowedCopy {
  const copied = new FollowedCopy();
  beforeAll(() => copied.start());
  afterAll(() => copied.service.stop());
  beforeEach(() => copied.begin());
  afterEach(() => copied.end());
  return copied;
}

export function at(minute: number): string {
  return new Date(Date.parse('2026-01-05T02:00:00.000Z') + minute * 60_000).toISOString();
}

/** The records of a conversation with one session and one ticket. */
export function conversation(n: number, minute = 30, updatedAt = at(minute)): object[] {
  const conversationId = `c-${n}`;
  const agent = { accountId: 42, email: 'mai@example.com', name: 'Mai' };
  return [
    {
      type: 'conversation',
      data: {
        id: conversationId,
        createdAt: at(0),
        updatedAt,
        closedAt: null,
        customer: { name: `Customer ${n}` },
      },
    },
    { type: 'activity', data: { id: `a-${n}`, conversationId, action: 'assign', occurredAt: at(5), agent } },
    ticket(n, { updatedAt: at(minute) }),
  ];
}

export function ticket(n: number, changes: object): object {
  return {
    type: 'ticket',
    data: {
      ...{ id: n, conversationId: `c-${n}`, assigneeAccountId: 42, createdAt: at(6), updatedAt: at(6) },
      ...{ subject: 'Parcel', description: '', status: 'open', priority: 'normal', dueDate: null },
      ...{
        assignedAt: at(6),
        resolvedAt: null,
        installedSourceId: 1,
        installedSourceName: 'Web',
        channelType: 'chat',
      },
      ...{ customFields: {}, ...changes },
    },
  };
}
