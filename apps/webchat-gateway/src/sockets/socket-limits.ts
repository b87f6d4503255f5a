/** The most bytes of one frame: the longest message, every character escaped. */
export const MAX_FRAME_BYTES = 64 * 1_024;

/** How long a socket may stay without a session token, in milliseconds. */
export const AUTHENTICATION_TIMEOUT_MS = 5_000;

/** How long before its expiry a session is warned, in seconds. */
export const EXPIRY_WARNING_SECONDS = 180;

/** How often a client that says nothing is asked whether it is there, in milliseconds; one that does not answer is gone. */
export const PING_INTERVAL_MS = 30_000;

/** The most bytes that may wait for a client to read them. */
export const MAX_UNREAD_BYTES = 1_024 * 1_024;

/** Frames of one socket that may wait to be acted on before it is read no further. */
export const MAX_WAITING_FRAMES = 32;

/** A client that sends so many times more frames than it may is not answered any more, but closed. */
export const FLOOD_FACTOR = 5;
