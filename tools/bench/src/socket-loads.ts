import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { WebchatSettings } from '@cxp/webchat-gateway/settings';
import { FULL_RATES_OF_ORGANIZATION } from '@cxp/webchat-gateway/sockets/socket-server';

export interface Load {
  /** @returns the number of calls */
  readonly alone: () => Promise<number>;
  readonly inSecond: (allowed: number) => Promise<unknown>;
}

export interface Session {
  readonly sessionId: string;
  readonly sessionToken: string;
}

interface Stand {
  /** Of the service. */
  readonly url: string;
  /** A session whose conversation has a hundred of the longest messages. */
  readonly longest: Session;
  readonly newSession: () => Promise<Session>;
  /** Called at the end. */
  readonly stops: (() => void)[];
}

export interface SocketLoad {
  readonly perSecond: number;
  readonly begin: (stand: Stand) => Promise<Load>;
}

const SOCKETS = 250;
const { WEBCHAT_SOCKET_FRAMES_PER_SEC, EXTERNAL_WEBCHAT_PER_SEC_LIMIT } = new WebchatSettings();

/** What a client does with sockets at its dearest: it opens them, and sends each frame. */
export const SOCKET_LOADS: Readonly<Record<string, SocketLoad>> = {
  'opening a socket': {
    // No limit is of an organization: many clients come back at once when a process ends.
    perSecond: SOCKETS,
    begin: async (stand) => {
      const sessions: Session[] = [];
      while (sessions.length < SOCKETS) sessions.push(await stand.newSession());
      return openings(stand.url, sessions, '');
    },
  },
  'opening a socket, after 100 messages': {
    perSecond: EXTERNAL_WEBCHAT_PER_SEC_LIMIT,
    begin: async ({ url, longest }) => openings(url, [longest], '?lastEvent=0'),
  },
  authenticate: frames(() => ({ type: 'authenticate', sessionToken: 'a'.repeat(8_192) })),
  'message.send': frames(() => ({ type: 'message.send', clientId: randomUUID(), text: 'ế'.repeat(4_000) })),
  typing: frames(() => ({ type: 'typing', active: true })),
  read: frames(() => ({ type: 'read', upTo: 1 })),
  'rating.submit': frames(() => ({
    type: 'rating.submit',
    clientId: randomUUID(),
    feedback: 'ế'.repeat(2_000),
  })),
  'no known frame, 60 KiB': frames(() => ({ type: 'unknown', text: 'ế'.repeat(20_000) })),
};

/** Sockets that are closed again, when a client has read for a while. */
function openings(url: string, sessions: readonly Session[], query: string): Load {
  const openAndClose = async (session: Session) => {
    const socket = await openedSocket(url, session, query);
    await sleep(300);
    socket?.terminate();
  };
  return {
    alone: async () => {
      const some = [sessions[0]!, sessions.at(-1)!];
      for (const session of some) await openAndClose(session);
      return some.length;
    },
    inSecond: (allowed) =>
      Promise.all(Array.from({ length: allowed }, (_, n) => openAndClose(sessions[n % sessions.length]!))),
  };
}

function frames(next: () => object): SocketLoad {
  const send = (socket: WebSocket) => {
    for (let n = 0; n < WEBCHAT_SOCKET_FRAMES_PER_SEC && socket.readyState === socket.OPEN; n++)
      socket.send(JSON.stringify(next()));
  };
  return {
    perSecond: FULL_RATES_OF_ORGANIZATION * WEBCHAT_SOCKET_FRAMES_PER_SEC,
    begin: async ({ url, newSession, stops }) => {
      const sockets: WebSocket[] = [];
      stops.push(() => sockets.forEach((socket) => socket.terminate()));
      while (sockets.length < SOCKETS) {
        const socket = await openedSocket(url, await newSession());
        if (socket) sockets.push(socket);
      }
      return {
        alone: async () => {
          send(sockets[0]!);
          await sleep(500);
          return WEBCHAT_SOCKET_FRAMES_PER_SEC;
        },
        // More than are allowed: the rest waits.
        inSecond: async () => sockets.forEach(send),
      };
    },
  };
}

/** @returns after its first frame; undefined if it is refused */
async function openedSocket(
  url: string,
  { sessionId, sessionToken }: Session,
  query = '',
): Promise<WebSocket | undefined> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/sessions/${sessionId}${query}`, {
    headers: { authorization: `Bearer ${sessionToken}` },
  });
  socket.on('error', () => undefined);
  const first = Promise.race([once(socket, 'message'), once(socket, 'close')]);
  const [frame] = await first.catch((): unknown[] => []);
  return Buffer.isBuffer(frame) ? socket : undefined;
}
