import { CLOSE_REASONS } from '../chat-protocol/server-frames';

/** A socket is `open` from its `session.ready`, and `warned` from its `session.expiring`. */
export type SocketState = 'entering' | 'open' | 'warned' | 'closing';

/** What happens to a socket, by what it can change. */
export type SocketEvent = 'enters' | 'nearsExpiry' | 'isRenewed' | 'disconnects' | ClosingEvent;
export type ClosingEvent = keyof typeof CLOSE_REASONS;

type Transitions = Record<Exclude<SocketEvent, ClosingEvent>, SocketState>;

/** The state after an event that does not close the socket, by the state before it. */
const TRANSITIONS: Record<SocketState, Transitions> = {
  entering: { enters: 'open', nearsExpiry: 'entering', isRenewed: 'entering', disconnects: 'closing' },
  open: { enters: 'open', nearsExpiry: 'warned', isRenewed: 'open', disconnects: 'closing' },
  warned: { enters: 'warned', nearsExpiry: 'warned', isRenewed: 'open', disconnects: 'closing' },
  closing: { enters: 'closing', nearsExpiry: 'closing', isRenewed: 'closing', disconnects: 'closing' },
};

export function closes(event: SocketEvent): event is ClosingEvent {
  return event in CLOSE_REASONS;
}

export function nextState(state: SocketState, event: SocketEvent): SocketState {
  return closes(event) ? 'closing' : TRANSITIONS[state][event];
}
