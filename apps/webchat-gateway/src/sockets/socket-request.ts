import type { IncomingMessage } from 'node:http';

/** The subprotocol that both sides speak. */
export const SUBPROTOCOL = 'webchat.v1';

/** What a browser puts before the token, which it can only send as another subprotocol. */
const TOKEN_PREFIX = 'bearer.';

const BEARER = /^bearer +(\S+) *$/i;

/** What a client says when it opens a socket. */
export interface SocketRequest {
  readonly sessionId: string;
  /** The last message that the client has seen: those after it are sent again. */
  readonly lastSequence: number | undefined;
  /** Undefined: it comes in the first frame. Never in the URL, which ends up in logs. */
  readonly sessionToken: string | undefined;
}

/** Where sockets are opened: the path of `WEBCHAT_WEBSOCKET_URL`, so that a session's URL and this can't differ. */
export function socketPath(websocketUrl: string): string {
  return new URL(websocketUrl).pathname.replace(/\/$/, '');
}

/** @returns undefined when the request is not for a socket below this path */
export function readSocketRequest(
  { url, headers }: Pick<IncomingMessage, 'url' | 'headers'>,
  path: string,
): SocketRequest | undefined {
  const [requestPath = '', query] = (url ?? '').split('?', 2);
  const sessionId = requestPath.startsWith(`${path}/`) ? requestPath.slice(path.length + 1) : '';
  if (!/^[\w-]+$/.test(sessionId)) return undefined;
  const lastSequence = new URLSearchParams(query).get('lastSequence') ?? '';
  return {
    sessionId,
    lastSequence: /^\d{1,15}$/.test(lastSequence) ? Number(lastSequence) : undefined,
    sessionToken: tokenInSubprotocols(headers) ?? BEARER.exec(headers.authorization ?? '')?.[1],
  };
}

/** Answers with the protocol's name, never with the token. */
export function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
  return offered.has(SUBPROTOCOL) && SUBPROTOCOL;
}

function tokenInSubprotocols(headers: IncomingMessage['headers']): string | undefined {
  return headers['sec-websocket-protocol']
    ?.split(',')
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(TOKEN_PREFIX))
    ?.slice(TOKEN_PREFIX.length);
}
