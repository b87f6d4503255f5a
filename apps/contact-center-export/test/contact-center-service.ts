import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import request from 'supertest';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { contactCenterDatabase } from '../src/database';
import { AppModule } from '../src/app.module';
import type { AnsweredRow } from './contract-fields';

export const ACCOUNT_SESSION_SECRET = '0123456789abcdef0123456789abcdef';

/** A window that every conversation of a test falls into. */
export const EVER = { startDate: '2000-01-01', endDate: '2099-12-31' };

/** The contract's error bodies. */
export const UNAUTHORIZED = { detail: { message: 'Unauthorized' } };
export const ORGANIZATION_MISMATCH = {
  detail: { message: 'organizationId does not match the authenticated organization' },
};
export const RATE_LIMITED = { detail: 'Rate limit exceeded' };
export function conversationNotFound(id: string) {
  return { detail: { message: `Conversation with id ${id} was not found` } };
}

export function startContactCenter(environment: Record<string, string> = {}): Promise<TestService> {
  return startTestService(AppModule, contactCenterDatabase, {
    ACCOUNT_SESSION_SECRET,
    ...environment,
  });
}

type Query = Record<string, string | number | readonly string[] | undefined>;
type By = Pick<Caller, 'headers'>;

export interface RowPage {
  readonly items: AnsweredRow[];
  readonly total: number;
  readonly page: number;
  readonly perPage: number;
  readonly pages: number;
  readonly nextCursor?: string | null;
}

export type StreamedRow = AnsweredRow & { readonly cursor: string };

export interface ChangeItem {
  readonly op: 'upsert' | 'delete' | 'resync';
  readonly change: number;
  readonly key?: { conversationId: string; sessionIndex: number | null; ticketId: number | null };
  readonly conversationUpdatedAt?: string;
  readonly digest?: string;
  readonly row?: Record<string, unknown>;
  readonly reason?: string;
  readonly cursor?: string;
}

export interface ChangePage {
  readonly items: ChangeItem[];
  readonly change: number;
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/** A service of area B and the organization that calls it. Calls without another caller are by `caller`. */
export class ContactCenter {
  service!: TestService;
  caller!: Caller;

  async start(environment?: Record<string, string>): Promise<void> {
    this.service = await startContactCenter(environment);
    await this.newOrganization();
  }

  async newOrganization(): Promise<void> {
    this.caller = await this.service.caller();
  }

  call(method: 'get' | 'post' | 'put', path: string, by: By = this.caller): request.Test {
    return request(this.service.url)[method](path).set(by.headers);
  }

  import(records: readonly object[], by?: By): request.Test {
    return this.call('post', '/internal/records', by)
      .set('content-type', 'application/x-ndjson')
      .send(records.map((record) => JSON.stringify(record)).join('\n'));
  }

  async store(records: readonly object[], by?: By): Promise<void> {
    await this.import(records, by).expect(200);
  }

  /** B1, of all conversations unless the query has a window. */
  list(query: Query = {}, by?: By): request.Test {
    return this.call('get', '/external/conversation-sessions', by).query({ ...EVER, ...query });
  }

  async page(query: Query = {}, by?: By): Promise<RowPage> {
    return (await this.list(query, by).expect(200)).body as RowPage;
  }

  async stream(query: Query = {}, by?: By): Promise<StreamedRow[]> {
    return linesOf(await this.list(query, by).set('accept', 'application/x-ndjson').buffer(true).expect(200));
  }

  /** B1, of which nothing but the beginning is read. */
  async open(accept: string, by: By = this.caller): Promise<IncomingMessage> {
    const url = `${this.service.url}/external/conversation-sessions?${new URLSearchParams(EVER).toString()}`;
    const [answer] = (await once(get(url, { headers: { ...by.headers, accept } }), 'response')) as [
      IncomingMessage,
    ];
    if (answer.statusCode === 200) await once(answer, 'readable');
    return answer;
  }

  /** B2. */
  get(conversationId: string, query: Query = {}, by?: By): request.Test {
    return this.call(
      'get',
      `/external/conversation-sessions/${encodeURIComponent(conversationId)}`,
      by,
    ).query(query);
  }

  async rowsOf(conversationId: string, query: Query = {}, by?: By): Promise<AnsweredRow[]> {
    return ((await this.get(conversationId, query, by).expect(200)).body as Pick<RowPage, 'items'>).items;
  }

  listChanges(query: Query = {}, by?: By): request.Test {
    return this.call('get', '/external/conversation-session-changes', by).query(query);
  }

  async changes(query: Query = {}, by?: By): Promise<ChangePage> {
    return (await this.listChanges(query, by).expect(200)).body as ChangePage;
  }

  listDigests(query: Query = EVER, by?: By): request.Test {
    return this.call('get', '/external/conversation-session-digests', by).query(query);
  }
}

/** NDJSON. */
export function linesOf<Line>({ text }: { readonly text: string }): Line[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}

/** A service for the tests of one file, and an organization that calls it. */
export function useContactCenter(environment?: Record<string, string>): ContactCenter {
  const area = new ContactCenter();
  beforeAll(() => area.start(environment));
  afterAll(() => area.service.stop());
  return area;
}
