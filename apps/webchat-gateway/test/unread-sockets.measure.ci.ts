import { eventually } from '@cxp/service-kit/testing';
import { imageEnvironment } from '@cxp/testing/local-servers';
import {
  agentMessage,
  connect,
  post,
  server,
  session,
  storeMessages,
  useProcess,
} from './conversation-service';
import { clientFrame, RawSocket, upgradeRequest } from './raw-socket';
import { caller, createSession, metric, service, webchatCaller } from './webchat-service';

const MIB = 1_024 * 1_024;
const SOCKETS = 900;
/** A connection that is cut while the server reads nothing of it is noticed by the next ping. */
const CUT_MS = 60_000;
/** More than the buffers of the operating system take of them, some 3 MiB of a socket. */
const MESSAGES = 500;
/** 64 MiB that wait, 40 KiB of each socket, and garbage (155 MiB were measured). Without a limit for all, the process ends. */
const MAX_GROWTH = 200 * MIB;

useProcess({
  // As the image starts it: what takes more memory ends the process.
  ...imageEnvironment(),
  WEBCHAT_SOCKETS_PER_SESSION: '1000',
  EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '10000',
  EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '10000',
});

it('clients that do not read leave the process its memory, and others their chats', async () => {
  const { conversationId, sessionToken, websocketUrl } = session;
  await storeMessages(service, caller, conversationId, MESSAGES);
  const residentBytes = () => metric(server, 'process_resident_memory_bytes');
  const before = await residentBytes();
  const witness = await connect(server, session);

  const unread: RawSocket[] = [];
  const path = `${new URL(websocketUrl).pathname}?lastEvent=0`;
  for (let i = 0; i < SOCKETS; i++) {
    const raw = await RawSocket.open(server.url);
    raw.write(upgradeRequest(path, { authorization: `Bearer ${sessionToken}` }));
    await raw.until((text) => text.includes('session.ready'));
    raw.socket.pause();
    unread.push(raw);
  }
  await eventually(async () => (await metric(server, 'webchat_sockets')) < SOCKETS, CUT_MS);
  expect((await residentBytes()) - before).toBeLessThan(MAX_GROWTH);
  await post('messages', agentMessage('live'), server).expect(200);
  expect((await witness.next('message')).message.id).toBe('live');
  const resumed = await connect(server, session, { lastEvent: 0 });
  await resumed.untilEvent(MESSAGES + 1);
  for (const raw of unread) raw.reset();
  await Promise.all([witness.close(), resumed.close()]);
}, 300_000);

const FLOODING = 300;
const READ_AT_ONCE = 64 * 1_024;
/** What frames that wait may take, the chunks of which they were read, and garbage. 10 MiB were measured. */
const MAX_FLOOD_GROWTH = 60 * MIB;

it.each([
  ['text frames', 1, 'x'],
  ['pings', 9, ''],
])('floods of %s leave the process its memory, and others their answers', async (_, opcode, payload) => {
  const other = await webchatCaller(service);
  const witness = await connect(server, session);
  const heapBytes = () => metric(server, 'nodejs_heap_size_used_bytes');
  const before = await heapBytes();
  const frame = clientFrame(payload, { opcode });
  const flood = Buffer.concat(Array<Buffer>(Math.ceil(READ_AT_ONCE / frame.length)).fill(frame));

  const flooding: RawSocket[] = [];
  const { pathname } = new URL(session.websocketUrl);
  for (let i = 0; i < FLOODING; i++) {
    const raw = await RawSocket.upgrade(server.url, pathname, {
      authorization: `Bearer ${session.sessionToken}`,
    });
    raw.write(flood);
    flooding.push(raw);
    if (i % 50 === 49) await createSession(server, other, { id: `u-${i}` }).expect(201);
  }
  expect((await heapBytes()) - before).toBeLessThan(MAX_FLOOD_GROWTH);
  for (const raw of flooding) raw.reset();
  await eventually(async () => (await metric(server, 'webchat_sockets')) === 1, CUT_MS);
  await post('messages', agentMessage('after'), server).expect(200);
  expect((await witness.next('message')).message.id).toBe('after');
  await witness.close();
});
