import type { EntityManager } from 'typeorm';
import {
  ConversationSessionRepository,
  type DigestedRow,
  digestRow,
  type Numbering,
  type ProjectedRow,
} from '../conversation-sessions/conversation-session.repository';
import { SessionCountChanges } from '../conversation-sessions/session-count.repository';
import { deriveRows } from '../derivation';
import { inTurns } from '../in-turns';
import {
  ConversationRecordsReadModel,
  type ConversationWeight,
  type StoredConversation,
} from '../records/conversation-records.read-model';

/**
 * What is read, derived and written by one round of statements: so many conversations, or fewer if their records are many or large. A
 * conversation that has more is read by itself.
 */
const CHUNK_CONVERSATIONS = 500;
const CHUNK_BYTES = 2 * 1024 * 1024;

/** What a record takes beside its text. */
const RECORD_BYTES = 300;

/** Changes of counts that are held in memory. */
const MAX_COUNT_CHANGES = 10_000;

/**
 * Derives the rows of conversations from their records. It has to run in the transaction that changed the records, and
 * under the organization's intake lock: then the rows fit the records at every moment.
 */
export class Projection {
  private readonly records: ConversationRecordsReadModel;
  private readonly sessions: ConversationSessionRepository;
  private numbersFollow = false;

  constructor(manager: EntityManager) {
    this.records = new ConversationRecordsReadModel(manager);
    this.sessions = new ConversationSessionRepository(manager);
  }

  /**
   * Projects conversations at the end of the transaction that touched them, and numbers the changes. A conversation whose own
   * record has not arrived has no rows.
   * @param weights of conversations that have been weighed
   * @returns how many of the conversations have other rows than before
   */
  async renew(
    organizationId: string,
    conversationIds: readonly string[],
    weights?: Weights,
  ): Promise<number> {
    const chunks = this.chunksOf(organizationId, conversationIds, weights);
    const first = await chunks.next();
    const isOneCall = first.done === true || first.value.ids.length === conversationIds.length;
    // If nothing can be removed, no removal needs a lower number than the upserts of a call before it.
    const numbered =
      !this.numbersFollow && (isOneCall || !(await this.sessions.haveRows(organizationId, conversationIds)));
    const rows = this.rowsOf(organizationId, first, chunks);
    if (numbered) return this.project(organizationId, rows, 'now');
    const changed = await this.project(organizationId, rows, 'later');
    await this.sessions.numberUnnumbered(organizationId);
    return changed;
  }

  /** Projects conversations while the transaction goes on. `renew` has to follow, and numbers the changes. */
  async renewEarly(
    organizationId: string,
    conversationIds: readonly string[],
    weights?: Weights,
  ): Promise<void> {
    this.numbersFollow = true;
    const chunks = this.chunksOf(organizationId, conversationIds, weights);
    await this.project(organizationId, this.rowsOf(organizationId, await chunks.next(), chunks), 'later');
  }

  private async project(
    organizationId: string,
    chunks: AsyncIterable<ChunkRows>,
    numbering: Numbering,
  ): Promise<number> {
    let changed = 0;
    let counts = new SessionCountChanges();
    for await (const { ids, rows } of chunks) {
      changed += await this.sessions.replace(organizationId, ids, rows, numbering, counts);
      if (counts.size < MAX_COUNT_CHANGES) continue;
      await this.sessions.addToCounts(organizationId, counts);
      counts = new SessionCountChanges();
    }
    await this.sessions.addToCounts(organizationId, counts);
    return changed;
  }

  /** PostgreSQL reads the records of the next conversations while the rows of some are derived, unless those are large. */
  private async *rowsOf(
    organizationId: string,
    first: IteratorResult<Chunk, void>,
    chunks: AsyncGenerator<Chunk, void>,
  ): AsyncGenerator<ChunkRows> {
    const read = (ids: readonly string[]) => this.records.ofConversations(organizationId, ids);
    let chunk = first;
    let reading = chunk.done ? undefined : read(chunk.value.ids);
    while (!chunk.done) {
      const { ids } = chunk.value;
      const conversations = await reading!;
      chunk = await chunks.next();
      const readsAhead = !chunk.done && chunk.value.bytes <= CHUNK_BYTES;
      reading = readsAhead ? read(chunk.value!.ids) : undefined;
      // Whoever waits for it is told.
      reading?.catch(() => undefined);
      const rows = await digestedRows(conversations);
      // A connection runs one statement at a time.
      await reading;
      yield { ids, rows };
      if (!chunk.done) reading ??= read(chunk.value.ids);
    }
  }

  private async *chunksOf(
    organizationId: string,
    conversationIds: readonly string[],
    known: Weights = new Map(),
  ): AsyncGenerator<Chunk, void> {
    for (let start = 0; start < conversationIds.length; start += CHUNK_CONVERSATIONS) {
      const some = conversationIds.slice(start, start + CHUNK_CONVERSATIONS);
      // One is a chunk, whatever it weighs.
      const unknown = some.length > 1 ? some.filter((id) => !known.has(id)) : [];
      const weights = await this.records.weights(organizationId, unknown);
      let [ids, bytes]: [string[], number] = [[], 0];
      for (const id of some) {
        const weight = known.get(id) ?? weights.get(id);
        const more = weight ? weight.bytes + weight.records * RECORD_BYTES : Infinity;
        if (ids.length > 0 && bytes + more > CHUNK_BYTES) {
          yield { ids, bytes };
          [ids, bytes] = [[], 0];
        }
        ids.push(id);
        bytes += more;
      }
      yield { ids, bytes };
    }
  }
}

type Weights = ReadonlyMap<string, ConversationWeight>;

/** Conversations that are projected together, and about what their records take. */
interface Chunk {
  readonly ids: readonly string[];
  readonly bytes: number;
}

interface ChunkRows {
  readonly ids: readonly string[];
  readonly rows: readonly DigestedRow[];
}

async function digestedRows(conversations: readonly StoredConversation[]): Promise<DigestedRow[]> {
  const rows: DigestedRow[] = [];
  for await (const row of inTurns(rowsOfAll(conversations))) rows.push(digestRow(row));
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

/** The rows of a conversation would repeat its text too often. */
export class RepeatedTextError extends Error {
  constructor(readonly conversationId: string) {
    super(`the rows of conversation ${conversationId} repeat more than ${MAX_REPEATED_BYTES} bytes of text`);
  }
}

/** The rows of one conversation, each with the agent that it is filtered by. */
export function* projectRows(conversation: StoredConversation): Generator<ProjectedRow, void> {
  const assignees = new Map(conversation.tickets.map(({ id, assigneeAccountId }) => [id, assigneeAccountId]));
  const { customer, id } = conversation.conversation;
  const { filumId, name, phone, email } = customer;
  const ofCustomer = Buffer.byteLength(filumId + name + phone + email);
  let repeated = -ofCustomer;
  let previous: number | null = null;
  for (const session of deriveRows(conversation)) {
    const { sessionIndex, sessionAgentEmail, sessionAgentName, feedback } = session;
    const ofSession = sessionIndex === previous ? Buffer.byteLength(sessionAgentEmail + sessionAgentName) : 0;
    repeated += ofCustomer + ofSession + Buffer.byteLength(feedback);
    previous = sessionIndex;
    if (repeated > MAX_REPEATED_BYTES) throw new RepeatedTextError(id);
    yield {
      conversationUpdatedAt: conversation.updatedAt,
      agent: {
        email: session.sessionAgentEmail.toLowerCase(),
        accountId:
          session.sessionIndex === null
            ? (assignees.get(session.ticketId!) ?? null)
            : session.sessionAgentAccountId,
      },
      session,
    };
  }
}
