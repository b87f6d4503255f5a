/** The largest frame of a client, in bytes: the longest message with every character escaped. A larger one closes the socket with 1009. */
export const MAX_FRAME_BYTES = 64 * 1_024;

/** Members and elements that a frame may hold in all: what is parsed of it before its schema is looked at. */
export const MAX_FRAME_VALUES = 200;

/** Parts that a message may be sent in. Each is an object in memory, however small it is. More close the socket with 1008. */
export const MAX_MESSAGE_PARTS = 64;

/** Packets that a frame may arrive in, for the same reason: 64 bytes each on average. More close the socket with 1008. */
export const MAX_FRAME_PIECES = 1_024;

/** How long before its expiry a session is warned, in seconds. */
export const EXPIRY_WARNING_SECONDS = 180;

/** How often a client is pinged, in milliseconds. A client that has sent nothing by the next ping is disconnected. */
export const PING_INTERVAL_MS = 30_000;

/** Bytes that may wait for a client that does not read, beyond what the operating system takes. More close the socket with 4430. */
export const MAX_UNREAD_BYTES = 1_024 * 1_024;

/** Bytes of resumed events that may wait for their client. The next ones are sent when it has read. */
export const MAX_RESUMED_BYTES = 64 * 1_024;

/** How long a client may take to answer a close frame, in milliseconds. Then its connection is cut. */
export const CLOSE_TIMEOUT_MS = 5_000;
