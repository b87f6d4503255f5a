/** Why the server closes a socket: the code and the reason of the close frame. */
export interface CloseReason {
  readonly code: number;
  readonly reason: string;
}

/** Codes from 4400 are this protocol's own. Their last two digits are those of the HTTP status with the same meaning. */
export const CLOSE_REASONS = {
  sessionExpired: { code: 4401, reason: 'The session token has expired' },
  sessionNotFound: { code: 4404, reason: 'Session not found' },
  tooManySockets: { code: 4409, reason: 'Newer sockets of the session took its place' },
  slowConsumer: { code: 4430, reason: 'Frames are not read fast enough; connect again to go on' },
  binaryFrame: { code: 1003, reason: 'Frames must be text' },
  internalError: { code: 1011, reason: 'Internal error' },
  serviceRestart: { code: 1012, reason: 'Connect again' },
  tryAgainLater: { code: 1013, reason: 'Not available; connect again later' },
} as const satisfies Record<string, CloseReason>;
