import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { handleRequests } from './waiting-requests';

/** The longest that a client may take to send a request's headers, in milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;

/** The longest that a client may take to send a whole request, an import of very many records, in milliseconds. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;

/** How often these are looked at, in milliseconds. */
const TIMEOUT_CHECK_MS = 1_000;

export const MAX_HEADER_BYTES = 16 * 1_024;

/** How long a connection may be silent between two requests, in milliseconds. Longer than a proxy keeps one that it does not use. */
const KEEP_ALIVE_MS = 72_000;

/** The longest that a connection may be silent while a request is under way, in milliseconds. */
const IDLE_TIMEOUT_MS = 60_000;

/** How many requests a connection may send, as nginx has it. Further ones that come at once are answered 503. */
const REQUESTS_PER_CONNECTION = 1_000;

/**
 * A server of HTTP with the limits of a service.
 * @param acceptsUpgrade which requests for another protocol are given to `upgrade`. Others are answered as if they did not ask (RFC 9110, 7.8)
 */
export function createHttpServer(
  handle: RequestListener,
  acceptsUpgrade: (request: IncomingMessage) => boolean = () => false,
): Server {
  const options = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Node.js would answer without an envelope.
    requireHostHeader: false,
    shouldUpgradeCallback: acceptsUpgrade,
  };
  const server = createServer(options);
  handleRequests(server, handle);
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  return server;
}
