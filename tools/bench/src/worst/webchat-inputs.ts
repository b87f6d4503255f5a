import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { MAX_FEEDBACK_CHARACTERS, MAX_MESSAGE_CHARACTERS } from '@cxp/webchat-gateway/chat-protocol/shapes';
import { MAX_FRAME_BYTES } from '@cxp/webchat-gateway/chat-protocol/limits';
import { LIMITS } from './limits';
import { rawCall } from './raw-call';
import {
  bodyInput,
  crowdedRecord,
  get,
  input,
  manyRecords,
  pipelinedInput,
  post,
  recordsInput,
  text,
  zeros,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './worst-input';

const LONGEST_MESSAGE = '😀'.repeat(MAX_MESSAGE_CHARACTERS);
const HISTORY_MESSAGES = 300;

function conversation(kind: 'external' | 'internal', { tenant }: Place): string {
  return `/${kind}/conversations/${tenant.conversationId}`;
}

const messagesPath = (place: Place) => `${conversation('internal', place)}/messages`;

/** A body that the route accepts, with as many values beside it as a body may hold. */
function crowded(path: (place: Place) => string, body: (place: Place, run: number) => object): WorstInput {
  return bodyInput(
    'a body of as many values as it may hold',
    path,
    (run, place, size) => ({ ...body(place, run), unknown: zeros(size) }),
    LIMITS.values,
  );
}

function internal(part: string, body: (run: number) => object): WorstInput {
  return crowded(
    (place) => `${conversation('internal', place)}/${part}`,
    (_, run) => body(run),
  );
}

function message(text: string) {
  return { id: randomUUID(), senderType: 'agent', senderName: '😀'.repeat(255), text };
}

async function fillHistory(place: Place): Promise<void> {
  for (let n = 0; n < HISTORY_MESSAGES; n++) {
    await rawCall(place.url, post(messagesPath(place), place, message(LONGEST_MESSAGE)));
  }
}

function history(kind: 'external' | 'internal', part: 'messages' | 'events'): WorstInput {
  return input('100 of the longest messages', async (place) => {
    await fillHistory(place);
    const { tenant } = place;
    const headers =
      kind === 'internal' ? tenant.caller.headers : { authorization: `Bearer ${tenant.sessionToken}` };
    return { method: 'GET', path: `${conversation(kind, place)}/${part}?limit=100`, headers };
  });
}

function socketOf(url: string, { tenant }: Place, query = ''): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}/sessions/${tenant.sessionId}${query}`, [], {
    headers: { authorization: `Bearer ${tenant.sessionToken}` },
    perMessageDeflate: false,
  });
}

/** A frame with as many values beside its own as fit into one; what follows it is answered after it. */
function frame(type: string, properties: (run: number, place: Place) => object): WorstInput {
  return {
    what: 'a frame of as many values as it may hold',
    size: LIMITS.values,
    prepare: (place, size) =>
      Promise.resolve(async (url, run) => {
        const socket = socketOf(url, place);
        await once(socket, 'open');
        const known = JSON.stringify({ type, ...properties(run, place) });
        const room = Math.floor((MAX_FRAME_BYTES - Buffer.byteLength(known) - 100) / 2);
        socket.send(`${known.slice(0, -1)},"unknown":${JSON.stringify(zeros(Math.min(size, room)))}}`);
        socket.send('{}');
        return readUntil(socket, '"type must be');
      }),
  };
}

async function readUntil(socket: WebSocket, last: string) {
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

const SESSION_BODY = ({ tenant }: Place) => ({
  organizationId: tenant.caller.organizationId,
  installedSourceId: tenant.installedSourceId,
  user: Object.fromEntries(['id', 'name', 'email', 'phone'].map((field) => [field, '😀'.repeat(255)])),
});

export const WEBCHAT_INPUTS: WorstInputs = {
  'POST /external/sessions': [crowded(() => '/external/sessions', SESSION_BODY)],
  'POST /external/sessions/refresh': [
    crowded(
      () => '/external/sessions/refresh',
      ({ tenant }) => ({ sessionId: tenant.sessionId }),
    ),
  ],
  'GET /external/conversations/{conversationId}/messages': [history('external', 'messages')],
  'GET /external/conversations/{conversationId}/events': [history('external', 'events')],
  'GET /internal/conversations/{conversationId}/messages': [history('internal', 'messages')],
  'GET /internal/conversations/{conversationId}/events': [history('internal', 'events')],
  'OPTIONS /external/conversations/{conversationId}/messages': [
    pipelinedInput(2_000, { method: 'OPTIONS', path: '/external/conversations/c/messages' }),
  ],
  'OPTIONS /external/conversations/{conversationId}/events': [
    pipelinedInput(2_000, { method: 'OPTIONS', path: '/external/conversations/c/events' }),
  ],
  'POST /internal/conversations/{conversationId}/messages': [
    internal('messages', () => message('x')),
    bodyInput('the longest message', messagesPath, () => message(LONGEST_MESSAGE)),
  ],
  'POST /internal/conversations/{conversationId}/activities': [
    internal('activities', () => ({ id: randomUUID(), action: '😀'.repeat(100) })),
  ],
  'POST /internal/conversations/{conversationId}/typing': [
    internal('typing', () => ({ senderType: 'agent', active: true })),
  ],
  'POST /internal/conversations/{conversationId}/read': [internal('read', (run) => ({ sequence: run }))],
  'GET /docs/asyncapi.json': [
    input('once', () => get('/docs/asyncapi.json')),
    pipelinedInput(2_000, get('/docs/asyncapi.json')),
  ],
  'record installed_source': [
    recordsInput('the longest name', 'installed_source', (run) => [
      { id: run, name: text(LIMITS.recordBytes) },
    ]),
    crowdedRecord('installed_source', (run) => ({ id: run, name: 'x' })),
    manyRecords('installed_source', (run, id) => ({ id, name: `source ${run}` })),
  ],
  'frame authenticate': [frame('authenticate', (_, { tenant }) => ({ sessionToken: tenant.sessionToken }))],
  'frame message.send': [frame('message.send', () => ({ clientId: randomUUID(), text: LONGEST_MESSAGE }))],
  'frame typing': [frame('typing', () => ({ active: true }))],
  'frame read': [frame('read', (run) => ({ sequence: run }))],
  'frame rating.submit': [
    frame('rating.submit', () => ({
      clientId: randomUUID(),
      rating: 5,
      feedback: '😀'.repeat(MAX_FEEDBACK_CHARACTERS),
    })),
  ],
  'socket that resumes': [
    {
      what: `all of ${HISTORY_MESSAGES} of the longest messages`,
      prepare: async (place) => {
        await fillHistory(place);
        return (url) =>
          readUntil(socketOf(url, place, '?lastEvent=0'), `"sequence":${HISTORY_MESSAGES + 1},`);
      },
    },
  ],
};
