import type { InvalidItem } from '@cxp/error-envelopes';
import { recordLoc } from '@cxp/record-intake';
import type { AwaitedConversation } from '../records/awaited-conversation.repository';
import type {
  ConversationRecordsReadModel,
  ConversationWeight,
} from '../records/conversation-records.read-model';
import type { Growth } from '../records/record-table';

const MAX_RECORDS = 10_000;
const MAX_TEXT_BYTES = 4 * 1024 * 1024;

/** The records of growing conversations that are remembered until the conversations are weighed. */
const MAX_REMEMBERED = 50_000;

/** Conversations that are weighed by one statement. */
const CHUNK_CONVERSATIONS = 500;

/** A record that was stored, and what it added. Times are those of the records. */
type Addition = Omit<Growth, 'conversationId' | 'id'> & { readonly line: number };

/**
 * Which conversations a transaction lets grow, and by which lines. They are weighed once, before they are projected: to weigh them for
 * each record would take longer than to store it.
 */
export class ConversationLimits {
  private readonly additions = new Map<string, Addition[]>();
  private remembered = 0;

  constructor(
    private readonly records: ConversationRecordsReadModel,
    private readonly organizationId: string,
  ) {}

  get isFull(): boolean {
    return this.remembered >= MAX_REMEMBERED;
  }

  note(line: number, { conversationId, id: _, ...growth }: Growth): void {
    const additions = this.additions.get(conversationId);
    if (additions) additions.push({ line, ...growth });
    else this.additions.set(conversationId, [{ line, ...growth }]);
    this.remembered += 1;
  }

  /** @returns what is wrong with the records that pass the limit of their conversation, and the conversations that have not arrived */
  async check(): Promise<{ problems: readonly InvalidItem[]; awaited: readonly AwaitedConversation[] }> {
    const problems: InvalidItem[] = [];
    const awaited: AwaitedConversation[] = [];
    const ids = [...this.additions.keys()];
    for (let start = 0; start < ids.length; start += CHUNK_CONVERSATIONS) {
      const weights = await this.records.weights(
        this.organizationId,
        ids.slice(start, start + CHUNK_CONVERSATIONS),
      );
      for (const [id, weight] of weights) {
        const additions = this.additions.get(id)!;
        problems.push(...beyond(weight, additions).map((line) => tooLarge(id, line)));
        if (!weight.isStored) awaited.push({ id, lastAt: latestOf(additions) });
      }
    }
    this.additions.clear();
    this.remembered = 0;
    return { problems, awaited };
  }
}

function latestOf(additions: readonly Addition[]): Date {
  return new Date(additions.reduce((latest, { lastAt }) => Math.max(latest, Date.parse(lastAt)), -Infinity));
}

/** The lines that pass the limit: what was stored before the additions counts first, and then one after the other. */
function beyond(weight: ConversationWeight, additions: readonly Addition[]): number[] {
  if (isWithin(weight)) return [];
  let { records, bytes } = weight;
  for (const addition of additions) {
    records -= addition.records;
    bytes -= addition.bytes;
  }
  const lines: number[] = [];
  for (const addition of additions) {
    const next = { records: records + addition.records, bytes: bytes + addition.bytes };
    if (isWithin(next)) ({ records, bytes } = next);
    else lines.push(addition.line);
  }
  // Additions are estimated: one that replaced a record is taken for larger than it is.
  return lines.length > 0 ? lines : [additions.at(-1)!.line];
}

function isWithin({ records, bytes }: Pick<ConversationWeight, 'records' | 'bytes'>): boolean {
  return records <= MAX_RECORDS && bytes <= MAX_TEXT_BYTES;
}

/** @param field the field of the record that the error names */
export function tooLarge(conversationId: string, line: number, field = 'conversationId'): InvalidItem {
  const most = `${MAX_RECORDS.toLocaleString('en')} records with ${MAX_TEXT_BYTES / 1024 ** 2} MiB of text`;
  return {
    loc: recordLoc(line, 'data', field),
    msg: `conversation ${conversationId} must have at most ${most}`,
    type: 'too_large',
  };
}
