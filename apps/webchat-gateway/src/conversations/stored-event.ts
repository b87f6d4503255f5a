import type { ChatEvent, ChatEventOf } from '../chat-protocol/events';

/** An event as `webchat.event` has it. A message is stored once, with its own columns. */
export type StoredEvent =
  Exclude<ChatEvent, ChatEventOf<'message'>> | Omit<ChatEventOf<'message'>, 'message'>;

/** What `payload` holds of an event. */
type PayloadOf<Type extends ChatEvent['type']> = Omit<ChatEventOf<Type>, 'type' | 'event' | 'message'>;

/** SQL for the event of a row, as its frame has it. */
export const EVENT_FRAME = `jsonb_build_object('event', event.event, 'type', event.type) || event.payload`;

/** SQL for the `type` and the `payload` of an event to store, from SQL for each of its properties. */
export function eventValues<Type extends ChatEvent['type']>(
  type: Type,
  properties: Readonly<Record<keyof PayloadOf<Type>, string>>,
): string {
  const payload = Object.entries(properties).map(([name, value]) => `'${name}', ${String(value)}`);
  return `'${type}', jsonb_build_object(${payload.join(', ')})`;
}

/** SQL for a time as frames have it. */
export function frameTime(time: string): string {
  return `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
