import { ChangeRepository, rebuildBuckets, type RemovalReason } from '@cxp/change-feed';
import { withOrganizationLock } from '@cxp/records';
import { inPieces, withPauses } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import {
  ConversationSessionRepository,
  type ProjectedRow,
} from '../conversation-sessions/conversation-session.repository';
import {
  ANCHOR_FIELDS,
  filterColumnsOf,
  keyTextBeginning,
  sessionDigest,
  SESSIONS,
  toStoredKey,
} from '../conversation-sessions/stored-row';
import { contactCenterDatabase } from '../database';
import { type Anchors, deriveRows } from '../derivation';
import { microsecondsBetween } from '../instant';
import { reasonsOf } from './erased-records';
import { RecordRepository } from './record.repository';
import { ConversationRecordsReadModel, type StoredConversation } from './conversation-records.read-model';

/** Bounds what one round of statements reads, derives and writes. A conversation above a bound is read by itself. */
const CHUNK_CONVERSATIONS = 500;
const CHUNK_BYTES = 2 * 1024 * 1024;

/** The memory of a record beside its text, and of a stored row, of which only the state is read. */
const RECORD_BYTES = 300;
const ROW_BYTES = 1_100;

/** Runs in the transaction that changed the records, under the organization's lock, so that rows always fit records. */
export class Projection {
  private readonly records: ConversationRecordsReadModel;
  private readonly sessions: ConversationSessionRepository;

  constructor(private readonly manager: EntityManager) {
    this.records = new ConversationRecordsReadModel(manager);
    this.sessions = new ConversationSessionRepository(manager);
  }

  /**
   * Projects conversations and numbers the changes, at the end of the transaction. A conversation whose own record has not
   * arrived has no rows.
   * @param all touched conversations, each once
   * @param reason why rows are removed; if omitted, it is looked up
   * @param added got records: only they can be refused for what their rows repeat
   * @returns the number of changed conversations
   */
  async renew(
    organizationId: string,
    all: readonly string[],
    reason?: RemovalReason,
    added: ReadonlySet<string> = new Set(),
  ): Promise<number> {
    const chunks = chunksOf(await this.weigh(organizationId, all));
    let changed = 0;
    for (const ids of chunks) {
      const rows = await projectedRows(await this.records.ofConversations(organizationId, ids), added);
      changed += await this.sessions.replace(organizationId, ids, rows, async (keys) =>
        reason ? () => reason : reasonsOf(this.manager, organizationId, keys),
      );
    }
    return changed;
  }

  /** Sends known removals of the conversations again with the reason, so that copies erase them. */
  async removeAgain(organizationId: string, all: readonly string[], reason: RemovalReason): Promise<void> {
    if (all.length === 0) return;
    const changes = new ChangeRepository(this.manager, contactCenterDatabase.schema);
    await changes.removeAgain(organizationId, all.map(keyTextBeginning), reason);
  }

  /** @throws TooLargeError */
  private async weigh(organizationId: string, all: readonly string[]): Promise<ConversationWeight[]> {
    const sizes: ConversationWeight[] = [];
    for (const some of inPieces(all, CHUNK_CONVERSATIONS)) {
      const weights = await this.records.weights(organizationId, some);
      const missing = weights.filter(({ isStored }) => !isStored);
      const records = new RecordRepository(this.manager);
      await records.addAwaited(
        organizationId,
        missing.flatMap(({ id, lastAt }) => (lastAt ? [{ id, lastAt }] : [])),
      );
      const named = missing.filter(({ lastAt }) => lastAt === null);
      await records.remove(
        organizationId,
        named.map(({ id }) => ({ type: 'conversation', id })),
      );
      sizes.push(...weights);
    }
    const tooLarge = sizes.filter(isTooLarge);
    if (tooLarge.length > 0) throw new TooLargeError(tooLarge);
    return sizes;
  }
}

function chunksOf(sizes: readonly ConversationWeight[]): string[][] {
  const chunks: string[][] = [];
  let chunkBytes = 0;
  for (const { id, records, bytes, rows } of sizes) {
    const more = Math.max(bytes + records * RECORD_BYTES, rows * ROW_BYTES);
    const chunk = chunks.at(-1);
    if (chunk && chunk.length < CHUNK_CONVERSATIONS && chunkBytes + more <= CHUNK_BYTES) {
      chunk.push(id);
      chunkBytes += more;
    } else {
      chunks.push([id]);
      chunkBytes = more;
    }
  }
  return chunks;
}

export interface ConversationSize {
  readonly id: string;
  readonly records: number;
  readonly bytes: number;
}

interface ConversationWeight extends ConversationSize {
  /** A removed conversation has rows and no records. */
  readonly rows: number;
}

const MAX_RECORDS = 10_000;
const MAX_RECORD_BYTES = 4 * 1024 * 1024;
const MAX_CONVERSATION = `at most ${MAX_RECORDS.toLocaleString('en')} records with ${MAX_RECORD_BYTES / 1024 ** 2} MiB of text`;

export function isTooLarge({ records, bytes }: Omit<ConversationSize, 'id'>): boolean {
  return records > MAX_RECORDS || bytes > MAX_RECORD_BYTES;
}

export class TooLargeError extends Error {
  /** @param limit what a conversation must have */
  constructor(
    readonly sizes: readonly ConversationSize[],
    readonly limit = MAX_CONVERSATION,
  ) {
    super(`conversation ${sizes[0]!.id} must have ${limit}`);
  }
}

async function projectedRows(
  conversations: readonly StoredConversation[],
  added: ReadonlySet<string>,
): Promise<ProjectedRow[]> {
  const rows: ProjectedRow[] = [];
  for (const conversation of conversations) {
    const maxRepeated = added.has(conversation.conversation.id) ? MAX_REPEATED_BYTES : Infinity;
    for await (const row of withPauses(projectRows(conversation, maxRepeated))) rows.push(row);
  }
  return rows;
}

/**
 * Rows repeat the texts of conversation, survey and session, so what all rows but one repeat is bounded, too. Removals are
 * exempt: they must not be refused.
 */
const MAX_REPEATED_BYTES = 16 * 1024 * 1024;
const MAX_REPEATED = 'rows that repeat at most 16 MiB of text';

function* projectRows(conversation: StoredConversation, maxRepeated: number): Generator<ProjectedRow, void> {
  const assignees = new Map(conversation.tickets.map(({ id, assigneeAccountId }) => [id, assigneeAccountId]));
  const { updatedAt } = conversation;
  const { id, customerFilumId, customerName, customerPhone, customerEmail } = conversation.conversation;
  const ofCustomer = Buffer.byteLength(customerFilumId + customerName + customerPhone + customerEmail);
  let repeated = -ofCustomer;
  let previous: number | null = null;
  for (const { row: session, anchors } of deriveRows(conversation)) {
    const { sessionIndex, sessionAgentEmail, sessionAgentName, feedback } = session;
    const ofSession = sessionIndex === previous ? Buffer.byteLength(sessionAgentEmail + sessionAgentName) : 0;
    repeated += ofCustomer + ofSession + Buffer.byteLength(feedback);
    previous = sessionIndex;
    if (repeated > maxRepeated) {
      throw new TooLargeError([{ id, records: 0, bytes: 0 }], MAX_REPEATED);
    }
    const key = toStoredKey(session);
    yield {
      key,
      updatedAt,
      filtered: filterColumnsOf(session, assignees.get(session.ticketId!) ?? null),
      anchorMicroseconds: anchorMicroseconds(anchors),
      digest: sessionDigest(key, updatedAt, session),
      session,
    };
  }
}

/** @returns null if all are 0 */
function anchorMicroseconds(anchors: Anchors): number[] | null {
  const microseconds = ANCHOR_FIELDS.map((field) => {
    const { at } = anchors[field];
    return at === null ? 0 : microsecondsBetween(Math.floor(at), at);
  });
  return microseconds.some((count) => count > 0) ? microseconds : null;
}

export interface ReprojectionResult {
  readonly conversations: number;
  readonly changed: number;
}

/**
 * Derives all rows of an organization again in chunks, under its lock. Equal rows keep their numbers. The buckets are rebuilt
 * at the end.
 */
export async function reproject(
  dataSource: DataSource,
  organizationId: string,
  onProgress: (result: ReprojectionResult) => void = () => undefined,
): Promise<ReprojectionResult> {
  let result = { conversations: 0, changed: 0 };
  for (let after = ''; ;) {
    const conversations = new ConversationRecordsReadModel(dataSource.manager);
    const ids = await conversations.idsAfter(organizationId, after, CHUNK_CONVERSATIONS);
    const last = ids.at(-1);
    if (last === undefined) break;
    const changed = await withOrganizationLock(
      dataSource,
      contactCenterDatabase.name,
      organizationId,
      (manager) => new Projection(manager).renew(organizationId, ids),
    );
    result = { conversations: result.conversations + ids.length, changed: result.changed + changed };
    onProgress(result);
    after = last;
  }
  await withOrganizationLock(dataSource, contactCenterDatabase.name, organizationId, (manager) =>
    rebuildBuckets(manager, SESSIONS, organizationId),
  );
  return result;
}
