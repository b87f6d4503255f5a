import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { Pool } from 'pg';
import { WebSocketServer, type WebSocket } from 'ws';
import { APPEND_ONE } from '@cxp/webchat-gateway/messages/message.repository';

/**
 * The floor that webchat-gateway's sockets are measured against: ws, one prepared statement that stores the message as the gateway
 * does, and the message back to its sender. No token, no limits, no order, no other receivers.
 */
const postgres = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const organizationId = process.env.BENCH_ORGANIZATION;

const http = createServer((_, response) => void response.end());
const sockets = new WebSocketServer({ server: http, perMessageDeflate: false });

sockets.on('connection', (socket: WebSocket, { url }: IncomingMessage) => {
  const conversationId = new URL(url!, 'ws://bench').searchParams.get('conversation');
  socket.on('message', (data: Buffer) => void store(socket, conversationId, data));
});

async function store(socket: WebSocket, conversationId: string | null, data: Buffer): Promise<void> {
  const { clientId, text } = JSON.parse(data.toString()) as { clientId: string; text: string };
  const { rows } = await postgres.query({
    name: 'append',
    text: APPEND_ONE.text,
    values: [organizationId, conversationId, randomUUID(), clientId, 'customer', null, text, false],
  });
  const message = { ...rows[0], clientId, senderType: 'customer', senderName: null, text };
  socket.send(JSON.stringify({ type: 'message', message }));
}

http.listen(Number(process.env.WEBCHAT_PORT), '::');
