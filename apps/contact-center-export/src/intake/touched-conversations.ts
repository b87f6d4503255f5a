import { numberColumn, Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';

/** Conversations that are held in memory, and that are read at a time. */
const MAX_IN_MEMORY = 50_000;

/** $1 organization, $2 the id before the first, $3 limit. */
const IDS_AFTER = new Statement(
  { id: textColumn('conversation_id') },
  (list) => `SELECT ${list} FROM contact_center.touched_conversation
    WHERE organization_id = $1 AND conversation_id > $2 ORDER BY conversation_id LIMIT $3`,
);

/** $1 organization, $2 id. */
const LINE = new Statement(
  { line: numberColumn('line') },
  (list) =>
    `SELECT ${list} FROM contact_center.touched_conversation WHERE organization_id = $1 AND conversation_id = $2`,
);

const CLEAR = new Statement({}, 'DELETE FROM contact_center.touched_conversation WHERE organization_id = $1');

/** $1 organization, $2 ids, $3 lines. */
const ADD = new Statement(
  {},
  `INSERT INTO contact_center.touched_conversation (organization_id, conversation_id, line)
   SELECT $1, id, line FROM unnest($2::text[], $3::integer[]) AS touched (id, line)
   ON CONFLICT (organization_id, conversation_id) DO UPDATE SET line = excluded.line`,
);

/**
 * The conversations whose rows a transaction can have changed, each with the line of a record that touched it. Those of a transaction of any
 * size wait for its end: what memory does not hold waits in PostgreSQL.
 */
export class TouchedConversations {
  private readonly lines = new Map<string, number>();
  private overflowed = false;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
    private readonly maxInMemory = MAX_IN_MEMORY,
  ) {}

  add(id: string, line: number): void {
    this.lines.set(id, line);
  }

  /** To be called between additions. */
  async makeRoom(): Promise<void> {
    if (this.lines.size >= this.maxInMemory) await this.overflow();
  }

  /** All of them, each once, some at a time. */
  async *batches(): AsyncGenerator<readonly string[], void> {
    if (!this.overflowed) {
      yield [...this.lines.keys()];
      return;
    }
    await this.overflow();
    for (let after = ''; ;) {
      const found = await IDS_AFTER.run(this.manager, [this.organizationId, after, this.maxInMemory]);
      const last = found.at(-1);
      if (!last) return;
      yield found.map(({ id }) => id);
      after = last.id;
    }
  }

  async lineOf(id: string): Promise<number> {
    const line = this.lines.get(id);
    if (line !== undefined) return line;
    const found = await LINE.first(this.manager, [this.organizationId, id]);
    return found!.line;
  }

  async clear(): Promise<void> {
    this.lines.clear();
    if (!this.overflowed) return;
    await CLEAR.run(this.manager, [this.organizationId]);
  }

  private async overflow(): Promise<void> {
    this.overflowed = true;
    await ADD.run(this.manager, [this.organizationId, [...this.lines.keys()], [...this.lines.values()]]);
    this.lines.clear();
  }
}
