import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { handleRequests } from './waiting-requests';

/** Milliseconds for a request's headers. */
const HEADERS_TIMEOUT_MS = 10_000;

/** Milliseconds for a whole request, such as a large import. */
const REQUEST_TIMEOUT_MS = 15 * 60_000;

const TIMEOUT_CHECK_MS = 1_000;

export const MAX_HEADER_BYTES = 16 * 1_024;

/** Milliseconds of silence between requests; longer than a proxy keeps an idle connection. */
const KEEP_ALIVE_MS = 72_000;

const IDLE_TIMEOUT_MS = 60_000;

/** Requests per connection, as in nginx. More that are pipelined get 503. */
const REQUESTS_PER_CONNECTION = 1_000;

/** Of a process, sockets of chats included. Each takes 10 KiB, or 26 while it sends its headers. */
const MAX_CONNECTIONS = 10_000;

/** @param acceptsUpgrade other upgrades are ignored (RFC 9110, 7.8) */
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
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = REQUESTS_PER_CONNECTION;
  return server;
}
