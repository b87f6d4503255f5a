import { hash } from 'node:crypto';
import request from 'supertest';
import { CxpClient } from '@cxp/client';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { BUSINESS_HOURS_FIELDS } from '../src/derivation';
import { EVER } from './contact-center-service';

export type Service = Pick<TestService, 'url'>;
export type Headers = Pick<Caller, 'headers'>;

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

type Query = Record<string, string | number>;

export function listChanges(service: Service, caller: Headers, query: Query = {}): request.Test {
  return request(service.url).get('/external/conversation-session-changes').set(caller.headers).query(query);
}

export function listDigests(service: Service, caller: Headers, query: Query = EVER): request.Test {
  return request(service.url).get('/external/conversation-session-digests').set(caller.headers).query(query);
}

/** Every row that B1 lists. */
export async function listEverything(service: Service, { organizationId, token }: Caller): Promise<object[]> {
  const cxp = new CxpClient({ organizationId, token, urls: { contactCenter: service.url } });
  const rows: object[] = [];
  for await (const { cursor: _, ...row } of cxp.conversationSessions.stream(EVER)) rows.push(row);
  return rows;
}

/** Keeps a copy as a client does that knows only the documentation. */
export class ChangeFollower {
  readonly copy = new Map<string, ChangeItem>();
  cursor: string | undefined;
  private last = 0;

  constructor(
    private readonly service: Service,
    private readonly caller: Headers,
  ) {}

  /** Reads to the end. */
  async follow(limit = 500): Promise<void> {
    while (await this.readPage(limit));
  }

  /** @returns whether there is more */
  async readPage(limit: number): Promise<boolean> {
    const query = { limit, ...(this.cursor !== undefined && { cursor: this.cursor }) };
    const answer = await listChanges(this.service, this.caller, query);
    if (answer.status === 410) return this.restart();
    if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
    const { items, change, nextCursor, hasMore } = answer.body as ChangePage;
    for (const item of items) {
      if (item.change <= this.last) throw new Error(`${item.change} after ${this.last}`);
      this.last = item.change;
      if (item.op === 'resync') return this.restart();
      const key = JSON.stringify(item.key);
      if (item.op === 'upsert') this.copy.set(key, item);
      else this.copy.delete(key);
    }
    if (hasMore ? change !== this.last : change < this.last)
      throw new Error(`reached ${change} with ${this.last}`);
    this.cursor = nextCursor;
    return hasMore;
  }

  /** The rows of the copy, in the order of B1. */
  rows(): object[] {
    return [...this.copy.values()].sort(inOrder).map(({ row }) => row!);
  }

  /** Digests by day of UTC, computed from the rows alone, by the letter of the documentation. */
  digests(): object[] {
    const days = new Map<string, { rows: number; digest: bigint }>();
    for (const { key, conversationUpdatedAt, row } of this.copy.values()) {
      const rest = Object.fromEntries(
        Object.entries(row!).filter(([name]) => !(BUSINESS_HOURS_FIELDS as readonly string[]).includes(name)),
      );
      const digest = BigInt(
        `0x${hash('sha256', canonical({ key, conversationUpdatedAt, row: rest })).slice(0, 16)}`,
      );
      const day = days.get(conversationUpdatedAt!.slice(0, 10)) ?? { rows: 0, digest: 0n };
      days.set(conversationUpdatedAt!.slice(0, 10), {
        rows: day.rows + 1,
        digest: day.digest ^ digest,
      });
    }
    return [...days]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([date, { digest, ...day }]) => ({
        date,
        ...day,
        digest: digest.toString(16).padStart(16, '0'),
      }));
  }

  private restart(): true {
    this.copy.clear();
    this.cursor = undefined;
    this.last = 0;
    return true;
  }
}

function inOrder(one: ChangeItem, other: ChangeItem): number {
  const places = [one, other].map(({ key, conversationUpdatedAt }) => [
    conversationUpdatedAt!,
    key!.conversationId,
    key!.sessionIndex ?? Infinity,
    key!.ticketId ?? -Infinity,
  ]);
  for (const [at, place] of places[0]!.entries()) {
    if (place !== places[1]![at]) return place < places[1]![at]! ? -1 : 1;
  }
  return 0;
}

/** RFC 8785, written a second time. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join()}}`;
}

/** What a page says, in short: the operation, and the reason or the key. */
export const shortened = ({ items }: ChangePage) =>
  items.map(({ op, key, reason }) => [
    op,
    key ? `${key.conversationId} ${key.sessionIndex} ${key.ticketId}` : reason,
  ]);
