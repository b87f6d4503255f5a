import type { RemovalReason } from '@cxp/change-feed';
import type { EntityManager } from 'typeorm';
import {
  ConversationSessionRepository,
  type ProjectedRow,
} from '../conversation-sessions/conversation-session.repository';
import { sessionDigest, type StoredKey, toStoredKey } from '../conversation-sessions/session-key';
import { deriveRows } from '../derivation';
import { reasonsOf } from '../records/erased-records';
import { inTurns } from '../in-turns';
import { RecordRepository } from '../records/record.repository';
import {
  ConversationRecordsReadModel,
  type StoredConversation,
} from '../records/conversation-records.read-model';
import { filterColumnsOf } from '../conversation-sessions/filters';

/**
 * What is read, derived and written by one round of statements: so many conversations, or fewer if their records are many or large. A
 * conversation that has more is read by itself.
 */
const CHUNK_CONVERSATIONS = 500;
const CHUNK_BYTES = 2 * 1024 * 1024;

/** What a record takes beside its text. */
const RECORD_BYTES = 300;

/**
 * Derives the rows of conversations from their records. It has to run in the transaction that changed the records, and
 * under the organization's intake lock: then the rows fit the records at every moment.
 */
export class Projection {
  private readonly records: ConversationRecordsReadModel;
  private readonly sessions: ConversationSessionRepository;

  constructor(private readonly manager: EntityManager) {
    this.records = new ConversationRecordsReadModel(manager);
    this.sessions = new ConversationSessionRepository(manager);
  }

  /**
   * Projects conversations at the end of the transaction that touched them, and numbers the changes. A conversation whose own
   * record has not arrived has no rows.
   * @param all of the transaction, each once
   * @param reason why rows are removed; undefined: because what they are made of was erased, or else removed
   * @returns how many of the conversations have other rows than before
   */
  async renew(organizationId: string, all: readonly string[], reason?: RemovalReason): Promise<number> {
    let changed = 0;
    const chunks = chunksOf(await this.weigh(organizationId, all));
    for await (const { ids, rows } of this.rowsOf(organizationId, chunks)) {
      changed += await this.sessions.replace(organizationId, ids, rows, (keys) =>
        this.reasonsOf(organizationId, keys, reason),
      );
    }
    return changed;
  }

  private async reasonsOf(
    organizationId: string,
    keys: readonly StoredKey[],
    reason: RemovalReason | undefined,
  ): Promise<(key: StoredKey) => RemovalReason> {
    return reason ? () => reason : reasonsOf(this.manager, organizationId, keys);
  }

  /** PostgreSQL reads the records of the next conversations while the rows of some are derived, unless those are large. */
  private async *rowsOf(organizationId: string, chunks: Generator<Chunk, void>): AsyncGenerator<ChunkRows> {
    const read = (ids: readonly string[]) => this.records.ofConversations(organizationId, ids);
    let chunk = chunks.next();
    let reading = chunk.done ? undefined : read(chunk.value.ids);
    while (!chunk.done) {
      const { ids } = chunk.value;
      const conversations = await reading!;
      chunk = chunks.next();
      const readsAhead = !chunk.done && chunk.value.bytes <= CHUNK_BYTES;
      reading = readsAhead ? read(chunk.value!.ids) : undefined;
      // The error is thrown below, where the read is awaited.
      reading?.catch(() => undefined);
      const rows = await projectedRows(conversations);
      // A connection runs one statement at a time.
      await reading;
      yield { ids, rows };
      if (!chunk.done) reading ??= read(chunk.value.ids);
    }
  }

  /** @throws TooLargeError */
  private async weigh(organizationId: string, all: readonly string[]): Promise<ConversationSize[]> {
    const sizes: ConversationSize[] = [];
    for (let start = 0; start < all.length; start += CHUNK_CONVERSATIONS) {
      const weights = await this.records.weights(
        organizationId,
        all.slice(start, start + CHUNK_CONVERSATIONS),
      );
      const awaited = weights.filter(({ isStored, lastAt }) => !isStored && lastAt !== null);
      await new RecordRepository(this.manager).await(
        organizationId,
        awaited.map(({ id, lastAt }) => ({ id, lastAt: lastAt! })),
      );
      sizes.push(...weights);
    }
    const tooLarge = sizes.filter(isTooLarge);
    if (tooLarge.length > 0) throw new TooLargeError(tooLarge);
    return sizes;
  }
}

function* chunksOf(sizes: readonly ConversationSize[]): Generator<Chunk, void> {
  let [ids, bytes]: [string[], number] = [[], 0];
  for (const size of sizes) {
    const more = size.bytes + size.records * RECORD_BYTES;
    if (ids.length === CHUNK_CONVERSATIONS || (ids.length > 0 && bytes + more > CHUNK_BYTES)) {
      yield { ids, bytes };
      [ids, bytes] = [[], 0];
    }
    ids.push(size.id);
    bytes += more;
  }
  if (ids.length > 0) yield { ids, bytes };
}

/** What belongs to a conversation. */
export interface ConversationSize {
  readonly id: string;
  readonly records: number;
  readonly bytes: number;
}

const MAX_RECORDS = 10_000;
const MAX_RECORD_BYTES = 4 * 1024 * 1024;
export const MAX_CONVERSATION = `${MAX_RECORDS.toLocaleString('en')} records with ${MAX_RECORD_BYTES / 1024 ** 2} MiB of text`;

export function isTooLarge({ records, bytes }: Omit<ConversationSize, 'id'>): boolean {
  return records > MAX_RECORDS || bytes > MAX_RECORD_BYTES;
}

/** Conversations have more than they may have. */
export class TooLargeError extends Error {
  constructor(readonly sizes: readonly ConversationSize[]) {
    super(`conversation ${sizes[0]!.id} has more than ${MAX_CONVERSATION}`);
  }
}

/** Conversations that are projected together, and about what their records take. */
interface Chunk {
  readonly ids: readonly string[];
  readonly bytes: number;
}

interface ChunkRows {
  readonly ids: readonly string[];
  readonly rows: readonly ProjectedRow[];
}

async function projectedRows(conversations: readonly StoredConversation[]): Promise<ProjectedRow[]> {
  const rows: ProjectedRow[] = [];
  for await (const row of inTurns(rowsOfAll(conversations))) rows.push(row);
  return rows;
}

function* rowsOfAll(conversations: readonly StoredConversation[]): Generator<ProjectedRow, void> {
  for (const conversation of conversations) yield* projectRows(conversation);
}

/**
 * The text of a conversation and of a survey is on every row, that of a session on the row of each of its tickets: what all but one of them
 * repeat is bounded, too.
 */
const MAX_REPEATED_BYTES = 16 * 1024 * 1024;

/** The rows of one conversation. */
function* projectRows(conversation: StoredConversation): Generator<ProjectedRow, void> {
  const assignees = new Map(conversation.tickets.map(({ id, assigneeAccountId }) => [id, assigneeAccountId]));
  const { updatedAt } = conversation;
  const { id, customerFilumId, customerName, customerPhone, customerEmail } = conversation.conversation;
  const ofCustomer = Buffer.byteLength(customerFilumId + customerName + customerPhone + customerEmail);
  let repeated = -ofCustomer;
  let previous: number | null = null;
  for (const { row: session } of deriveRows(conversation)) {
    const { sessionIndex, sessionAgentEmail, sessionAgentName, feedback } = session;
    const ofSession = sessionIndex === previous ? Buffer.byteLength(sessionAgentEmail + sessionAgentName) : 0;
    repeated += ofCustomer + ofSession + Buffer.byteLength(feedback);
    previous = sessionIndex;
    if (repeated > MAX_REPEATED_BYTES) throw new TooLargeError([{ id, records: 0, bytes: 0 }]);
    const key = toStoredKey(session);
    yield {
      key,
      updatedAt,
      filtered: filterColumnsOf({
        session,
        ticketAssigneeAccountId: assignees.get(session.ticketId!) ?? null,
      }),
      digest: sessionDigest(key, updatedAt, session),
      session,
    };
  }
}
