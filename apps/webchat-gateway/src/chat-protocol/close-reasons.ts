import { AUTHENTICATION_TIMEOUT_MS } from './limits';

/** Why the server closes a socket: the code and the reason of the close frame. */
export interface CloseReason {
  readonly code: number;
  readonly reason: string;
}

/** Codes from 4400 are this protocol's own. Their last two digits are those of the HTTP status with the same meaning. */
export const CLOSE_REASONS = {
  notAuthenticated: { code: 4400, reason: 'The session token is missing or not valid' },
  sessionExpired: { code: 4401, reason: 'The session token has expired' },
  otherSession: { code: 4403, reason: 'The session token is of another session' },
  sessionNotFound: { code: 4404, reason: 'Session not found' },
  authenticationTimeout: {
    code: 4408,
    reason: `No session token within ${AUTHENTICATION_TIMEOUT_MS / 1_000} seconds`,
  },
  tooManySockets: { code: 4409, reason: 'Newer sockets of the session took its place' },
  tooManyFrames: { code: 4429, reason: 'Too many frames' },
  slowConsumer: { code: 4430, reason: 'Frames are not read fast enough; connect again to go on' },
  binaryFrame: { code: 1003, reason: 'Frames must be text' },
  internalError: { code: 1011, reason: 'Internal error' },
  serviceRestart: { code: 1012, reason: 'Connect again' },
  tryAgainLater: { code: 1013, reason: 'Not available; connect again later' },
} as const satisfies Record<string, CloseReason>;
