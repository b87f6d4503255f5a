import type { IncomingMessage } from 'node:http';
import { bearerToken } from '@cxp/auth-headers';

export const SUBPROTOCOL = 'webchat.v1';

/** A browser can send the token only as another subprotocol, with this prefix. */
const TOKEN_PREFIX = 'bearer.';

export interface SocketRequest {
  readonly sessionId: string;
  /** The last event that the client has; later ones are sent first. */
  readonly lastEvent: number | undefined;
  /** Never part of the URL, which is logged. */
  readonly sessionToken: string | undefined;
}

/** The path of `websocketUrl`, below which sockets are opened. */
export function socketPath(websocketUrl: string): string {
  return new URL(websocketUrl).pathname.replace(/\/$/, '');
}

/** @returns undefined if the request is not for a socket */
export function readSocketRequest(
  { url, headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  path: string,
): SocketRequest | undefined {
  const [requestPath = '', query] = (url ?? '').split('?', 2);
  const sessionId = requestPath.startsWith(`${path}/`) ? requestPath.slice(path.length + 1) : '';
  if (!/^[\w-]+$/.test(sessionId)) return undefined;
  const parameters = new URLSearchParams(query);
  return {
    sessionId,
    lastEvent: wholeNumber(parameters.get('lastEvent')),
    sessionToken: tokenInSubprotocols(headers) ?? bearerToken(headers),
  };
}

/** The answer names the protocol and never repeats the token. */
export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  return offered.has(SUBPROTOCOL) && SUBPROTOCOL;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function tokenInSubprotocols(headers: IncomingMessage['headers']): string | undefined {
  return headers['sec-websocket-protocol']
    ?.split(',')
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(TOKEN_PREFIX))
    ?.slice(TOKEN_PREFIX.length);
}
