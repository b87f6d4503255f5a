import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Counter, Gauge, Registry } from 'prom-client';
import { WebSocketServer } from 'ws';
import { bearerToken } from '@cxp/auth-headers';
import { messageEnvelope, type Problem, ProblemError } from '@cxp/error-envelopes';
import { ApiThrottlerGuard } from '@cxp/rate-limit';
import { answerAndClose, MAX_CONNECTIONS, requestId } from '@cxp/service-kit';
import { inPieces, yieldToEventLoop } from '@cxp/storage';
import {
  CLOSE_TIMEOUT_MS,
  MAX_FRAME_BYTES,
  MAX_FRAME_PIECES,
  MAX_MESSAGE_PARTS,
  MAX_UNREAD_BYTES_IN_ALL,
  MAX_WAITING_BYTES_IN_ALL,
} from '../chat-protocol/limits';
import { CLOSE_REASONS } from '../chat-protocol/server-frames';
import { ConversationRepository } from '../conversations/conversation.repository';
import { LiveSubscriptions } from '../live/live-events';
import { WebchatSettings } from '../settings';
import { ChatSocket } from './chat-socket';
import { ChatSocketHandler } from './chat-socket.handler';
import { FrameRates } from './frame-rates';
import { SharedBytes } from './shared-bytes';

const SUBPROTOCOL = 'webchat.v1';

/** A browser can send the token only as another subprotocol, with this prefix. */
const TOKEN_PREFIX = 'bearer.';

interface SocketRequest {
  readonly sessionId: string;
  /** The last event that the client has; later ones are sent first. */
  readonly lastEvent: number | undefined;
  /** Never part of the URL, which is logged. */
  readonly sessionToken: string | undefined;
}

/** The rest of the connections is for requests. */
export const MAX_SOCKETS = MAX_CONNECTIONS * 0.8;
export const MAX_SOCKETS_OF_ORGANIZATION = MAX_SOCKETS / 2;

/** An organization may send as many frames as so many sessions. Its window is short: what waits is acted on at once. */
export const FULL_RATES_OF_ORGANIZATION = 50;
const ORGANIZATION_WINDOW_MS = 10;

/** Seconds until a client that was refused may find room. */
const RETRY_SECONDS = 5;

const SOCKETS_PER_SEARCH = 1_000;

/** Milliseconds for handling received frames when the service stops. */
const SETTLE_MS = 5_000;

/** Milliseconds for clients to close their sockets after that. */
const SHUTDOWN_MS = 2_000;

/** Only known codes are metric labels, because a client may send any code. */
const KNOWN_CODES: ReadonlySet<number> = new Set([
  ...Object.values(CLOSE_REASONS).map(({ code }) => code),
  1_000,
  1_001,
  1_002,
  1_005,
  1_006,
  1_007,
  1_008,
  1_009,
]);

/** The answer to another version names this one (RFC 6455, 4.2.2). */
const VERSION_HEADER = { 'Sec-WebSocket-Version': '13' };

@Injectable()
export class SocketServer implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SocketServer.name);
  private readonly path: string;
  private readonly sockets = new Set<ChatSocket>();
  private readonly unread = new SharedBytes(MAX_UNREAD_BYTES_IN_ALL);
  private readonly waiting = new SharedBytes(MAX_WAITING_BYTES_IN_ALL);
  private readonly sessions: FrameRates;
  readonly organizations: FrameRates;
  private readonly closed: Counter;
  private readonly webSockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_MESSAGE_PARTS,
    maxBufferedChunks: MAX_FRAME_PIECES,
    // One read of a connection holds thousands of small frames: others go on between two of them.
    allowSynchronousEvents: false,
    // Pings count as frames: `ChatSocket` answers them at its rate.
    autoPong: false,
    handleProtocols: chooseSubprotocol,
    // A deflate window for each socket would cost more memory than all the rest.
    perMessageDeflate: false,
    ...{ closeTimeout: CLOSE_TIMEOUT_MS }, // @types/ws lacks this option.
  });
  private isStopping = false;

  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly settings: WebchatSettings,
    private readonly handler: ChatSocketHandler,
    private readonly conversations: ConversationRepository,
    private readonly subscriptions: LiveSubscriptions,
    private readonly throttler: ApiThrottlerGuard,
    @Inject(Registry) registry: Registry,
  ) {
    this.path = socketPath(settings.WEBCHAT_WEBSOCKET_URL);
    const framesPerSecond = settings.WEBCHAT_SOCKET_FRAMES_PER_SEC;
    this.sessions = new FrameRates(framesPerSecond, 1_000);
    this.organizations = new FrameRates(
      (framesPerSecond * FULL_RATES_OF_ORGANIZATION * ORGANIZATION_WINDOW_MS) / 1_000,
      ORGANIZATION_WINDOW_MS,
    );
    const { sockets } = this;
    new Gauge({
      name: 'webchat_sockets',
      help: 'Open sockets',
      registers: [registry],
      collect() {
        this.set(sockets.size);
      },
    });
    this.closed = new Counter({
      name: 'webchat_sockets_closed_total',
      help: 'Sockets that were closed, by close code',
      labelNames: ['code'],
      registers: [registry],
    });
    // Without a listener ws would answer in its own format.
    this.webSockets.on('wsClientError', ({ message }, stream, request) =>
      this.refuse(
        request,
        stream as Socket,
        { code: 'request_malformed', status: 400, message },
        VERSION_HEADER,
      ),
    );
  }

  onApplicationBootstrap(): void {
    const server = this.adapterHost.httpAdapter.getHttpServer() as Server;
    server.on('upgrade', (request: IncomingMessage, stream: Socket, head: Buffer) => {
      // The HTTP server no longer handles its errors.
      stream.on('error', () => stream.destroy());
      // Hundreds of clients that come back at once would hold the event loop: they are let in one by one.
      void yieldToEventLoop().then(() =>
        this.upgrade(readSocketRequest(request, this.path)!, request, stream, head),
      );
    });
    this.subscriptions.handleResubscribed(() => void this.deliverLostEvents());
  }

  /** @param aheadMs of the clocks */
  tick(aheadMs = 0): void {
    for (const socket of this.sockets) socket.tick(aheadMs);
  }

  /** Resolves when each socket has the last event of its conversation. */
  async deliverLostEvents(): Promise<void> {
    try {
      for (const sockets of inPieces([...this.sockets], SOCKETS_PER_SEARCH)) {
        await this.deliverLastEvents(sockets);
      }
    } catch (error) {
      this.logger.warn(`lost events are not looked for: ${String(error)}`);
    }
  }

  /**
   * Closes every socket after its received frames are stored and acknowledged, if time allows. Clients reconnect to another
   * process.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const settled = [...this.sockets].map(async (socket) => {
      await socket.settled();
      socket.close('serviceStops');
    });
    await Promise.race([Promise.all(settled), sleep(SETTLE_MS, undefined, { ref: false })]);
    for (const socket of this.sockets) socket.close('serviceStops');
    // Afterwards the HTTP server cuts the remaining connections, even those with close frames on their way.
    const deadline = Date.now() + SHUTDOWN_MS;
    while (this.sockets.size > 0 && Date.now() < deadline) await sleep(10);
  }

  private async deliverLastEvents(sockets: readonly ChatSocket[]): Promise<void> {
    const lastEvents = await this.conversations.lastEvents(sockets.map(({ session }) => session));
    for (const socket of sockets) {
      const last = lastEvents.get(socket.session.conversationId);
      if (last === undefined) socket.close('sessionGone');
      else socket.onStored(last);
    }
  }

  private upgrade(
    { sessionId, sessionToken, lastEvent }: SocketRequest,
    request: IncomingMessage,
    stream: Socket,
    head: Buffer,
  ): void {
    if (this.isStopping) {
      this.refuse(request, stream, { code: 'dependency_unavailable' });
      return;
    }
    const session = this.handler.verify(sessionToken, sessionId);
    if (typeof session === 'string') {
      const reason = session === 'other_session' ? 'unknown_token' : session;
      const header = reason === 'missing_header' ? 'authorization' : undefined;
      void this.refuseCredentials(request, stream, { code: 'unauthenticated', reason, header });
      return;
    }
    const { organizations, sessions } = this;
    const { organizationId } = session;
    if (
      organizations.size >= MAX_SOCKETS ||
      organizations.sizeOf(organizationId) >= MAX_SOCKETS_OF_ORGANIZATION ||
      // Those that are closed for a newer one, or over the session's rate, count until their client has answered.
      sessions.sizeOf(sessionId) >= 2 * this.settings.WEBCHAT_SOCKETS_PER_SESSION
    ) {
      this.refuse(request, stream, { code: 'overloaded', retryAfterSeconds: RETRY_SECONDS });
      return;
    }
    this.webSockets.handleUpgrade(request, stream, head, (client) => {
      const rates = [sessions.join(sessionId), organizations.join(organizationId)];
      const { unread, waiting } = this;
      const socket = new ChatSocket(client, session, lastEvent, this.handler, { rates, unread, waiting });
      this.sockets.add(socket);
      client.on('close', (code) => {
        this.sockets.delete(socket);
        sessions.leave(sessionId, socket);
        organizations.leave(organizationId, socket);
        this.closed.inc({ code: KNOWN_CODES.has(code) ? code : 'other' });
      });
    });
  }

  /** Counts as a failed authentication of the client's address, which gets 429 beyond its limit. */
  private async refuseCredentials(request: IncomingMessage, stream: Socket, problem: Problem): Promise<void> {
    const refusal = await this.throttler.countFailedUpgrade(request).then(
      () => problem,
      (error: unknown): Problem =>
        error instanceof ProblemError ? error.problem : { code: 'dependency_unavailable' },
    );
    this.refuse(request, stream, refusal);
  }

  private refuse(
    request: IncomingMessage,
    stream: Socket,
    problem: Problem,
    headers: Record<string, string> = {},
  ): void {
    const id = requestId(request);
    const answer = messageEnvelope(problem);
    answerAndClose(stream, id, { ...answer, headers: { ...answer.headers, ...headers } });
    this.logger.log(`an upgrade is refused with ${answer.status}, request ${id}`);
  }
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
function chooseSubprotocol(offered: ReadonlySet<string>): string | false {
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
