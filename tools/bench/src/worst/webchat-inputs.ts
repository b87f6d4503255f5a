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
  each,
  get,
  input,
  manyRecords,
  post,
  recordsInput,
  text,
  unread,
  zeros,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './worst-input';

const HISTORY_MESSAGES = 300;

function conversation(kind: string, { tenant }: Place): string {
  return `/${kind}/conversations/${tenant.conversationId}`;
}

const messagesPath = (place: Place) => `${conversation('internal', place)}/messages`;

function longestMessage() {
  const longest = { senderName: '😀'.repeat(255), text: '😀'.repeat(MAX_MESSAGE_CHARACTERS) };
  return { id: randomUUID(), senderType: 'agent', ...longest };
}

async function fillHistory(place: Place): Promise<void> {
  for (let n = 0; n < HISTORY_MESSAGES; n++) {
    await rawCall(place.url, post(messagesPath(place), place, longestMessage()));
  }
}

function history(kind: string, part: string): WorstInput {
  return input('100 of the longest messages', async (place) => {
    await fillHistory(place);
    const { caller, sessionToken } = place.tenant;
    const headers = kind === 'internal' ? caller.headers : { authorization: `Bearer ${sessionToken}` };
    return { method: 'GET', path: `${conversation(kind, place)}/${part}?limit=100`, headers };
  });
}

function socketOf(url: string, { tenant }: Place, query = ''): WebSocket {
  return new WebSocket(`${url.replace('http', 'ws')}/sessions/${tenant.sessionId}${query}`, [], {
    headers: { authorization: `Bearer ${tenant.sessionToken}` },
    perMessageDeflate: false,
  });
}

type Properties = (run: number, place: Place) => object;

/** What no schema knows fills a frame up to its limits. */
function frames(type: string, properties: Properties): WorstInput[] {
  return [
    frame('a frame of as many values as it may hold', type, properties, (_, size) => ({
      unknown: zeros(size),
    })),
    // Names cost more than values: those that the process has not seen, and long ones, the most.
    frame('a frame of as many names as it may hold', type, properties, (run, size, room) => {
      const length = Math.floor(room / size) - '"":0,'.length;
      return Object.fromEntries(each(size, (n) => [`${run}-${n}-`.padEnd(length, 'x'), 0]));
    }),
  ];
}

/** A frame with other values beside its own; what follows it is answered after it. */
function frame(
  what: string,
  type: string,
  properties: Properties,
  unknown: (run: number, size: number, room: number) => object,
): WorstInput {
  return {
    what,
    size: LIMITS.frameValues,
    prepare: async (place, size) => async (url, run) => {
      const socket = socketOf(url, place);
      await once(socket, 'open');
      const known = { type, ...properties(run, place) };
      const room = MAX_FRAME_BYTES - Buffer.byteLength(JSON.stringify(known)) - 100;
      socket.send(JSON.stringify({ ...known, ...unknown(run, size, room) }));
      socket.send('{}');
      return readUntil(socket, '"type must be');
    },
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

const HISTORIES = ['external', 'internal'].map((kind) => [
  `GET /${kind}/conversations/{conversationId}/events`,
  [history(kind, 'events')],
]);

const PREFLIGHTS = [
  [
    'OPTIONS /external/conversations/{conversationId}/events',
    [unread({ method: 'OPTIONS', path: '/external/conversations/c/events' })],
  ],
];

export const WEBCHAT_INPUTS: WorstInputs = {
  ...(Object.fromEntries([...HISTORIES, ...PREFLIGHTS]) as WorstInputs),
  'POST /internal/conversations/{conversationId}/messages': [
    bodyInput('the longest message', messagesPath, longestMessage),
  ],
  'GET /docs/asyncapi.json': [unread(get('/docs/asyncapi.json'))],
  'record installed_source': [
    recordsInput('the longest name', 'installed_source', (run) => [
      { id: run, name: text(LIMITS.recordBytes) },
    ]),
    crowdedRecord('installed_source', (run) => ({ id: run, name: 'x' })),
    manyRecords('installed_source', (run, id) => ({ id, name: `source ${run}` })),
  ],
  'frame authenticate': frames('authenticate', (_, { tenant }) => ({ sessionToken: tenant.sessionToken })),
  'frame message.send': frames('message.send', () => ({
    clientId: randomUUID(),
    text: longestMessage().text,
  })),
  'frame typing': frames('typing', () => ({ active: true })),
  'frame read': frames('read', (run) => ({ upTo: run })),
  'frame rating.submit': frames('rating.submit', () => ({
    clientId: randomUUID(),
    rating: 5,
    feedback: '😀'.repeat(MAX_FEEDBACK_CHARACTERS),
  })),
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
