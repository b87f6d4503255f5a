import { CLOSE_REASONS, type CloseReason } from '../chat-protocol/close-reasons';

/** A socket is `open` from its `session.ready`, and `warned` from its `session.expiring`. */
export const SOCKET_STATES = ['entering', 'open', 'warned', 'closing'] as const;
export type SocketState = (typeof SOCKET_STATES)[number];

/** The events that close a socket, with the reason for its client. */
export const CLOSING_EVENTS = {
  expires: CLOSE_REASONS.sessionExpired,
  sessionEnds: CLOSE_REASONS.sessionNotFound,
  isReplaced: CLOSE_REASONS.tooManySockets,
  doesNotRead: CLOSE_REASONS.slowConsumer,
  sendsBinary: CLOSE_REASONS.binaryFrame,
  lacksStore: CLOSE_REASONS.tryAgainLater,
  fails: CLOSE_REASONS.internalError,
  serviceStops: CLOSE_REASONS.serviceRestart,
} as const satisfies Record<string, CloseReason>;
export type ClosingEvent = keyof typeof CLOSING_EVENTS;

/** What happens to a socket, by what it can change. */
export type SocketEvent = 'enters' | 'nearsExpiry' | 'isRenewed' | 'disconnects' | ClosingEvent;

const CLOSING: Record<ClosingEvent | 'disconnects', 'closing'> = {
  expires: 'closing',
  sessionEnds: 'closing',
  isReplaced: 'closing',
  doesNotRead: 'closing',
  sendsBinary: 'closing',
  lacksStore: 'closing',
  fails: 'closing',
  serviceStops: 'closing',
  disconnects: 'closing',
};

/** The state after an event, by the state before it. */
export const TRANSITIONS: Record<SocketState, Record<SocketEvent, SocketState>> = {
  entering: { ...CLOSING, enters: 'open', nearsExpiry: 'entering', isRenewed: 'entering' },
  open: { ...CLOSING, enters: 'open', nearsExpiry: 'warned', isRenewed: 'open' },
  warned: { ...CLOSING, enters: 'warned', nearsExpiry: 'warned', isRenewed: 'open' },
  closing: { ...CLOSING, enters: 'closing', nearsExpiry: 'closing', isRenewed: 'closing' },
};
