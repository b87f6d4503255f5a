/** The largest frame of a client, in bytes: the longest message with every character escaped. */
export const MAX_FRAME_BYTES = 64 * 1_024;

/** Members and elements that a frame may hold in all: what is parsed of it before its schema is looked at. */
export const MAX_FRAME_VALUES = 200;

/** The same for a frame beyond the rate, of which only the `clientId` is looked for. */
export const MAX_REFUSED_FRAME_VALUES = 16;

/** Parts that a message may be sent in. Each is an object in memory, however small it is. */
export const MAX_MESSAGE_PARTS = 64;

/** Pieces that a frame may arrive in, for the same reason: a packet each, of 64 bytes on average. */
export const MAX_FRAME_PIECES = 1_024;

/** What a socket may send before its session token: the longest token in a frame, with room to spare. In bytes. */
export const MAX_BYTES_BEFORE_TOKEN = 16 * 1_024;

/** Pings, and pongs that answer none, that a client may send before it is closed. */
export const MAX_CONTROL_FRAMES_PER_SECOND = 1_000;

/** How long a socket may stay open without a session token, in milliseconds. */
export const AUTHENTICATION_TIMEOUT_MS = 5_000;

/** How long before its expiry a session is warned, in seconds. */
export const EXPIRY_WARNING_SECONDS = 180;

/** How often a client is pinged, in milliseconds. A client that has sent nothing by the next ping is disconnected. */
export const PING_INTERVAL_MS = 30_000;

/** The most bytes that may be sent to a client that does not read them. */
export const MAX_UNREAD_BYTES = 1_024 * 1_024;

/** How long a client may take to answer a close frame, in milliseconds. Then its connection is cut. */
export const CLOSE_TIMEOUT_MS = 3_000;
