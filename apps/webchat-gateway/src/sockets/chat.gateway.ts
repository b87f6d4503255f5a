import type { IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import { WebSocketGateway, type OnGatewayConnection } from '@nestjs/websockets';
import type { WebSocket } from 'ws';
import { isDependencyUnavailable } from '@cxp/storage';
import { LiveSubscriptions } from '../live/live-subscriptions';
import { WebchatSettings } from '../settings';
import { CLOSE_REASONS } from './close-reasons';
import { CustomerFrames } from './customer-frames';
import { FrameRate } from './frame-rate';
import type { ClientFrame } from './frames';
import { OpenSockets } from './open-sockets';
import { SessionSocket, type SocketHandler } from './session-socket';
import { SocketEntry } from './socket-entry';
import { SocketRegistry } from './socket-registry';
import { readSocketRequest, socketPath } from './socket-request';

/** Takes customers' sockets: `<WEBCHAT_WEBSOCKET_URL>/<session id>`. */
@WebSocketGateway()
export class ChatGateway implements OnGatewayConnection, SocketHandler {
  private readonly logger = new Logger(ChatGateway.name);
  private readonly path: string;

  constructor(
    private readonly settings: WebchatSettings,
    private readonly entry: SocketEntry,
    private readonly frames: CustomerFrames,
    private readonly openSockets: OpenSockets,
    private readonly registry: SocketRegistry,
    private readonly subscriptions: LiveSubscriptions,
  ) {
    this.path = socketPath(settings.WEBCHAT_WEBSOCKET_URL);
  }

  handleConnection(client: WebSocket, request: IncomingMessage): void {
    const { sessionId, sessionToken, lastSequence } = readSocketRequest(request, this.path)!;
    const rate = new FrameRate(this.settings.WEBCHAT_SOCKET_FRAMES_PER_SEC);
    const socket = new SessionSocket(client, sessionId, lastSequence, rate, this);
    this.openSockets.add(socket);
    if (sessionToken) socket.enqueue(() => this.entry.present(socket, sessionToken));
  }

  async onFrame(socket: SessionSocket, frame: ClientFrame): Promise<void> {
    if (frame.type === 'authenticate') await this.entry.present(socket, frame.sessionToken);
    else if (socket.session) await this.frames.act(socket, socket.session, frame);
    else socket.close(CLOSE_REASONS.notAuthenticated);
  }

  async onClosed(socket: SessionSocket, code: number): Promise<void> {
    this.openSockets.delete(socket, code);
    if (!socket.session) return;
    const { organizationId, sessionId, conversationId } = socket.session;
    this.subscriptions.remove(organizationId, conversationId, socket);
    await this.registry.leave(organizationId, sessionId, socket.id);
  }

  onFailure(socket: SessionSocket, error: unknown): void {
    if (isDependencyUnavailable(error)) {
      this.logger.warn(`a socket is closed: ${String(error)}`);
      socket.close(CLOSE_REASONS.tryAgainLater);
    } else {
      this.logger.error(error);
      socket.close(CLOSE_REASONS.internalError);
    }
  }
}
