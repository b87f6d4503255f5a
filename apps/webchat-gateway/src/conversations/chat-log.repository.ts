import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { jsonColumn, nullable, numberColumn, type RowOf, Statement, textColumn } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/server-frames';
import type { Agent, ConversationStatus, Rating, Reader, SenderType } from '../chat-protocol/shapes';
import { WebchatSettings } from '../settings';
import { NEXT_STATES, type ActingAgent, type Cause } from './chat-rules';

interface MessagePayload {
  readonly senderType: SenderType;
  readonly senderName: string | null;
  readonly text: string;
}

interface ActivityPayload {
  readonly action: string;
  /** null means the time of storing. */
  readonly occurredAt: string | null;
  readonly by: ActingAgent | null;
}

interface ReadPayload {
  readonly reader: Reader;
  readonly upTo: number;
}

interface RatingPayload extends Rating {
  readonly request: number;
}

/** The `payload` of an event when it is appended. */
interface Payloads {
  readonly message: MessagePayload;
  readonly activity: ActivityPayload;
  readonly read: ReadPayload;
  readonly 'rating.requested': object;
  readonly rating: RatingPayload;
}

/** @param from the name of a table or function */
export const eventColumns = (from: string) => ({
  event: numberColumn(`${from}.event`),
  type: textColumn<ChatEvent['type']>(`${from}.type`),
  id: nullable(textColumn(`${from}.id`)),
  clientId: nullable(textColumn(`${from}.client_id`)),
  storedAt: textColumn(`to_char(${from}.stored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`),
  payload: jsonColumn<unknown>(`${from}.payload`),
});

/** As in `webchat.event`. The payload also has the conversation's state after the event. */
export type StoredEvent = {
  [Type in ChatEvent['type']]: Omit<RowOf<ReturnType<typeof eventColumns>>, 'type' | 'payload'> & {
    readonly type: Type;
    readonly payload: Payloads[Type] & { readonly status: ConversationStatus; readonly agent: Agent };
  };
}[ChatEvent['type']];

/** `id` and `clientId` make it harmless to send an event again. */
export interface NewEvent<Type extends ChatEvent['type'] = ChatEvent['type']> {
  readonly conversationId: string;
  readonly type: Type;
  readonly id?: string;
  readonly clientId?: string | null;
  readonly payload: Payloads[Type];
  readonly cause: Cause;
  /** The agent of the conversation from now on, if it is attended. */
  readonly agent?: Agent;
  readonly followedBy?: ChatEvent['type'];
}

const APPEND = new Statement(
  { organizationId: 'text', events: 'jsonb', skipsLocked: 'boolean', delivers: 'boolean' },
  { number: numberColumn('appended.number'), ...eventColumns('appended') },
  (list) =>
    `SELECT ${list} FROM webchat.append_events($organizationId, $events, $skipsLocked, $delivers) AS appended`,
  'prepared',
);

/** Answers and requests of a rating; a request that came so many events ago is no longer answered. */
const MAX_LATEST = 100;

const FIND_LATEST = new Statement(
  { organizationId: 'text', conversationId: 'uuid', types: 'text[]' },
  eventColumns('event'),
  (list) => `
  SELECT ${list} FROM webchat.event
  WHERE organization_id = $organizationId AND conversation_id = $conversationId AND event.type = ANY ($types)
  ORDER BY event.event DESC LIMIT ${MAX_LATEST}`,
);

@Injectable()
export class ChatLogRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Waits for the conversation's lock.
   * @returns the event and those that follow it; or the stored one with one of its ids; none if the conversation is unknown or
   * a read mark does not move
   * @throws ProblemError when the id belongs to another conversation's event
   */
  async append(
    organizationId: string,
    event: NewEvent,
    manager: EntityManager = this.manager,
  ): Promise<StoredEvent[]> {
    const [appended] = await this.run(manager, organizationId, [event], false);
    if (hasForeignId(appended!)) {
      const { type } = event;
      rejectAsInvalid({
        loc: ['body', 'id'],
        msg: `id belongs to ${type === 'activity' ? 'an' : 'a'} ${type} of another conversation`,
        type: 'value_error',
      });
    }
    return appended!;
  }

  /**
   * One statement, which waits for no lock.
   * @returns in order, what `append` returns; undefined if an event has to be appended alone: its conversation is locked or
   * unknown, or `append` rejects it
   */
  async appendTogether(
    organizationId: string,
    events: readonly NewEvent[],
  ): Promise<(StoredEvent[] | undefined)[]> {
    const appended = await this.run(this.manager, organizationId, events, true);
    return appended.map((stored) => (stored.length > 0 && !hasForeignId(stored) ? stored : undefined));
  }

  async latest(
    manager: EntityManager,
    organizationId: string,
    conversationId: string,
    types: readonly ChatEvent['type'][],
  ): Promise<StoredEvent[]> {
    return (await FIND_LATEST.run(manager, { organizationId, conversationId, types })) as StoredEvent[];
  }

  private async run(
    manager: EntityManager,
    organizationId: string,
    events: readonly NewEvent[],
    skipsLocked: boolean,
  ): Promise<StoredEvent[][]> {
    const sent = events.map(({ cause, ...event }) => ({ ...event, next: NEXT_STATES[cause] }));
    const rows = await APPEND.run(manager, {
      organizationId,
      events: JSON.stringify(sent),
      skipsLocked,
      delivers: this.settings.deliversRecords,
    });
    const appended: StoredEvent[][] = events.map(() => []);
    for (const { number, ...event } of rows) appended[number - 1]!.push(event as StoredEvent);
    return appended;
  }
}

/** A foreign id comes back with the number null. */
function hasForeignId([event]: readonly StoredEvent[]): boolean {
  return event !== undefined && (event.event as number | null) === null;
}

export function frameOf({ event, id, clientId, storedAt, ...stored }: StoredEvent): ChatEvent {
  switch (stored.type) {
    case 'message': {
      const { status, agent: _, ...payload } = stored.payload;
      const message = { id: id!, ...payload, sentAt: storedAt, clientId };
      return { type: 'message', event, status, message };
    }
    case 'activity': {
      const { action, occurredAt, by, status, agent } = stored.payload;
      const agentName = by?.name ?? null;
      // Area B needs microseconds; frames show milliseconds.
      const at = occurredAt ? new Date(occurredAt).toISOString() : storedAt;
      return { type: 'activity', event, id: id!, action, occurredAt: at, agentName, status, agent };
    }
    case 'read': {
      const { reader, upTo } = stored.payload;
      return { type: 'read', event, reader, upTo };
    }
    case 'rating.requested':
      return { type: 'rating.requested', event, requestedAt: storedAt };
    case 'rating': {
      const { status: _, agent: __, ...answer } = stored.payload;
      return { type: 'rating', event, ...answer, clientId: clientId!, submittedAt: storedAt };
    }
  }
}
