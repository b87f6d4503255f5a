import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { numberColumn, Statement, violates } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import type { Agent } from '../chat-protocol/shapes';
import { WebchatSettings } from '../settings';
import { NEXT_STATES, type Cause } from './chat-rules';
import { columnsOf, type Payloads, type StoredEvent } from './stored-event';

/** An event on its way into the log of its conversation. `id` and `clientId` make sending it again harmless. */
export interface NewEvent<Type extends ChatEvent['type'] = ChatEvent['type']> {
  readonly conversationId: string;
  readonly type: Type;
  readonly id?: string;
  readonly clientId?: string | null;
  readonly payload: Payloads[Type];
  readonly cause: Cause;
  /** Who attends to the conversation from now on, if it is attended. */
  readonly agent?: Agent;
  /** An event that the same moment brings. */
  readonly followedBy?: ChatEvent['type'];
}

export const APPEND = new Statement(
  { number: numberColumn('appended.number'), ...columnsOf('appended') },
  (list) => `SELECT ${list} FROM webchat.append_events($1, $2, $3, $4) AS appended`,
  'prepared',
);

const FIND_KNOWN = new Statement(
  columnsOf('event'),
  (list) => `
  SELECT ${list} FROM webchat.event
  WHERE organization_id = $1 AND conversation_id = $2 AND event.type = $3 AND (event.id = $4 OR client_id = $5)`,
);

/** $3 types, newest first. */
const FIND_LATEST = new Statement(
  columnsOf('event'),
  (list) => `
  SELECT ${list} FROM webchat.event
  WHERE organization_id = $1 AND conversation_id = $2 AND event.type = ANY ($3::text[])
  ORDER BY event.event DESC`,
);

/** The log of what happens in conversations: `webchat.event`. */
@Injectable()
export class ChatLogRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Appends an event, and waits for its conversation if that is locked.
   * @returns the event, and those that follow it; or the one that was stored before with one of its ids, and `isKnown`. None if the
   *   organization has no such conversation, or a read mark does not move
   * @throws ProblemError when the id belongs to another conversation's event
   */
  async append(
    organizationId: string,
    event: NewEvent,
  ): Promise<{ readonly events: readonly StoredEvent[]; readonly isKnown?: true }> {
    try {
      const [events] = await this.appendAll(organizationId, [event], false);
      return { events: events! };
    } catch (error) {
      if (!violates(error, 'event_id_unique') && !violates(error, 'event_client_id_unique')) throw error;
      const { conversationId, type, id, clientId } = event;
      const known = await FIND_KNOWN.first(this.manager, [
        organizationId,
        conversationId,
        type,
        id,
        clientId,
      ]);
      if (known) return { events: [known as StoredEvent], isKnown: true };
      rejectAsInvalid({
        loc: ['body', 'id'],
        msg: `id belongs to ${type === 'activity' ? 'an' : 'a'} ${type} of another conversation`,
        type: 'value_error',
      });
    }
  }

  /**
   * Appends events by one statement: all of them, or none if one was stored before.
   * @param skipsLocked whether a conversation that is locked is passed over
   * @returns what was stored for each, in their order
   */
  async appendAll(
    organizationId: string,
    events: readonly NewEvent[],
    skipsLocked: boolean,
  ): Promise<StoredEvent[][]> {
    const sent = events.map(({ cause, ...event }) => ({ ...event, next: NEXT_STATES[cause] }));
    const rows = await APPEND.run(this.manager, [
      organizationId,
      JSON.stringify(sent),
      skipsLocked,
      this.settings.deliversRecords,
    ]);
    const stored: StoredEvent[][] = events.map(() => []);
    for (const { number, ...event } of rows) stored[number - 1]!.push(event as StoredEvent);
    return stored;
  }

  /** The events of some types, newest first. */
  async latest(
    organizationId: string,
    conversationId: string,
    types: readonly ChatEvent['type'][],
  ): Promise<StoredEvent[]> {
    return (await FIND_LATEST.run(this.manager, [organizationId, conversationId, types])) as StoredEvent[];
  }
}
