import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { postJson } from '@cxp/services/workloads';
import { MAX_MESSAGE_CHARACTERS } from '@cxp/webchat-gateway/chat-protocol/shapes';
import { rawCall, type RawAnswer } from './raw-call';
import { input, open, type Place, type WorstInput, type WorstInputs } from './worst-input';

const HISTORY_MESSAGES = 300;

/** What schemas do not say of webchat: long histories and messages. */
export const LARGE_CHATS: WorstInputs = {
  'GET /external/conversations/{conversationId}/events': [history('external')],
  'GET /internal/conversations/{conversationId}/events': [history('internal')],
  'OPTIONS /external/conversations/{conversationId}/events': [
    input('the answer', () => ({ method: 'OPTIONS', path: '/external/conversations/c/events' })),
  ],
  'POST /internal/conversations/{conversationId}/messages': [
    input('the longest message', (place) => () => longestMessage(place)),
  ],
  'GET /docs/asyncapi.json': [open('/docs/asyncapi.json')],
  'socket that resumes': [
    {
      what: `all of ${HISTORY_MESSAGES} of the longest messages`,
      prepare: async (place) => {
        await fillHistory(place);
        return (url) => readUntil(socketOf(url, place, '?lastEvent=0'), `"event":${HISTORY_MESSAGES + 1},`);
      },
    },
  ],
};

/** Sends a frame; one that is wrong follows it, and is answered after it. */
export async function sendFrame(url: string, place: Place, frame: object): Promise<RawAnswer> {
  const socket = socketOf(url, place);
  await once(socket, 'open');
  socket.send(JSON.stringify(frame));
  socket.send('{}');
  return readUntil(socket, '"type must be');
}

function longestMessage({ tenant }: Place) {
  const longest = { senderName: '😀'.repeat(255), text: '😀'.repeat(MAX_MESSAGE_CHARACTERS) };
  const message = { id: randomUUID(), senderType: 'agent', ...longest };
  return postJson(`/internal/conversations/${tenant.conversationId}/messages`, tenant.caller, message);
}

async function fillHistory(place: Place): Promise<void> {
  for (let n = 0; n < HISTORY_MESSAGES; n++) await rawCall(place.url, longestMessage(place));
}

function history(kind: 'external' | 'internal'): WorstInput {
  return input('100 of the longest messages', async (place) => {
    await fillHistory(place);
    const { caller, sessionToken, conversationId } = place.tenant;
    const headers = kind === 'internal' ? caller.headers : { authorization: `Bearer ${sessionToken}` };
    return { method: 'GET', path: `/${kind}/conversations/${conversationId}/events?limit=100`, headers };
  });
}

function socketOf(url: string, { tenant }: Place, query = ''): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}/sessions/${tenant.sessionId}${query}`, [], {
    headers: { authorization: `Bearer ${tenant.sessionToken}` },
    perMessageDeflate: false,
  });
}

async function readUntil(socket: WebSocket, last: string): Promise<RawAnswer> {
  let bytes = 0;
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('message', (data: Buffer) => {
      bytes += data.length;
      if (data.includes(last)) resolve();
    });
  });
  socket.terminate();
  return { status: 101, bytes };
}
