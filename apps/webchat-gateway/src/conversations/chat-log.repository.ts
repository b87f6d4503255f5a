import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { rejectAsInvalid } from '@cxp/error-envelopes';
import { numberColumn, Statement } from '@cxp/storage';
import type { ChatEvent } from '../chat-protocol/events';
import type { Agent } from '../chat-protocol/shapes';
import { WebchatSettings } from '../settings';
import { NEXT_STATES, type Cause } from './chat-rules';
import { eventColumns, type Payloads, type StoredEvent } from './stored-event';

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

export const APPEND = new Statement(
  { number: numberColumn('appended.number'), ...eventColumns('appended') },
  (list) => `SELECT ${list} FROM webchat.append_events($1, $2, $3, $4) AS appended`,
  'prepared',
);

const FIND_LATEST = new Statement(
  eventColumns('event'),
  (list) => `
  SELECT ${list} FROM webchat.event
  WHERE organization_id = $1 AND conversation_id = $2 AND event.type = ANY ($3::text[])
  ORDER BY event.event DESC`,
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
    return (await FIND_LATEST.run(manager, [organizationId, conversationId, types])) as StoredEvent[];
  }

  private async run(
    manager: EntityManager,
    organizationId: string,
    events: readonly NewEvent[],
    skipsLocked: boolean,
  ): Promise<StoredEvent[][]> {
    const sent = events.map(({ cause, ...event }) => ({ ...event, next: NEXT_STATES[cause] }));
    const rows = await APPEND.run(manager, [
      organizationId,
      JSON.stringify(sent),
      skipsLocked,
      this.settings.deliversRecords,
    ]);
    const appended: StoredEvent[][] = events.map(() => []);
    for (const { number, ...event } of rows) appended[number - 1]!.push(event as StoredEvent);
    return appended;
  }
}

/** A foreign id comes back with the number null. */
function hasForeignId([event]: readonly StoredEvent[]): boolean {
  return event !== undefined && (event.event as number | null) === null;
}
