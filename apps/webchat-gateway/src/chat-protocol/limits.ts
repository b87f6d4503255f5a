import { MAX_CLIENT_ID_CHARACTERS, MAX_MESSAGE_CHARACTERS } from './shapes';

/** Bytes of a character outside of the basic plane, escaped: `\ud83d\ude00`. */
const ESCAPED_CHARACTER_BYTES = 12;

/** Bytes of the longest message with every character escaped, in whole KiB. A larger frame closes the socket with 1009, before it is read. */
export const MAX_FRAME_BYTES =
  Math.ceil((ESCAPED_CHARACTER_BYTES * (MAX_MESSAGE_CHARACTERS + MAX_CLIENT_ID_CHARACTERS)) / 1_024) * 1_024;

/** Members and elements of a frame. This bounds what is parsed before the schema is checked. */
export const MAX_FRAME_VALUES = 200;

/** Each part of a message is an object in memory, however small it is. More parts close the socket with 1008. */
export const MAX_MESSAGE_PARTS = 64;

/** Packets of a frame, for the same reason: 64 bytes each on average. More close the socket with 1008. */
export const MAX_FRAME_PIECES = 1_024;

/** Frames of a socket that wait for its rate; a read of the connection holds fewer messages. More close the socket with 1008. */
export const MAX_WAITING_FRAMES = 1_000;

/** What a frame that waits takes in memory, besides its bytes. */
export const WAITING_FRAME_BYTES = 100;

/** Bytes of frames that wait, of all sockets. Beyond it, those for which the most waits are cut off. */
export const MAX_WAITING_BYTES_IN_ALL = 32 * 1_024 * 1_024;

/** Milliseconds after which somebody who goes on typing is shown again. */
export const TYPING_REPEATED_MS = 3_000;

/** Seconds before its expiry at which a session is warned. */
export const EXPIRY_WARNING_SECONDS = 180;

/** Milliseconds. A client that has sent nothing by the next ping is disconnected. */
export const PING_INTERVAL_MS = 30_000;

/** Bytes that wait for a client that does not read, beyond the operating system's buffers. More close the socket with 4430. */
export const MAX_UNREAD_BYTES = 1_024 * 1_024;

/** The same of all sockets. Beyond it, those for which the most waits are cut off. */
export const MAX_UNREAD_BYTES_IN_ALL = 64 * 1_024 * 1_024;

/** The next page of resumed events is loaded when fewer bytes wait for their client. */
export const MAX_RESUMED_BYTES = 64 * 1_024;

/** Milliseconds for the answer to a close frame; then the connection is cut. */
export const CLOSE_TIMEOUT_MS = 5_000;
