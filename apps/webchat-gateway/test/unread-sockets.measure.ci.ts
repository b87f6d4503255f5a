import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { imageEnvironment, type ServiceProcess } from '@cxp/testing/local-servers';
import {
  agentMessage,
  connect,
  openSession,
  postToConversation,
  storeMessages,
} from './conversation-service';
import { RawSocket, upgradeRequest } from './raw-socket';
import { metric, startProcess, startWebchat, webchatCaller } from './webchat-service';

const MIB = 1_024 * 1_024;
const SOCKETS = 900;
/** More than the buffers of the operating system take of them, some 3 MiB of a socket. */
const MESSAGES = 500;
/** 64 MiB that wait, 40 KiB of each socket, and garbage (155 MiB were measured). Without a limit for all, the process ends. */
const MAX_GROWTH = 200 * MIB;

let stores: TestService;
let service: ServiceProcess;
let caller: Caller;

beforeAll(async () => {
  stores = await startWebchat();
  service = await startProcess(stores, {
    // As the image starts it: what takes more memory ends the process.
    ...imageEnvironment(),
    WEBCHAT_SOCKETS_PER_SESSION: '1000',
    EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '10000',
    EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '10000',
  });
  caller = await webchatCaller(stores);
});
afterAll(async () => {
  await service.stop();
  await stores.stop();
});

it('clients that do not read leave the process its memory, and others their chats', async () => {
  const session = await openSession(service, caller, { id: 'u' });
  const { conversationId, sessionToken, websocketUrl } = session;
  await storeMessages(stores, caller, conversationId, MESSAGES);
  const residentBytes = () => metric(service, 'process_resident_memory_bytes');
  const before = await residentBytes();
  const witness = await connect(service, session);

  const unread: RawSocket[] = [];
  const path = `${new URL(websocketUrl).pathname}?lastEvent=0`;
  for (let i = 0; i < SOCKETS; i++) {
    const raw = await RawSocket.open(service.url);
    raw.write(upgradeRequest(path, { authorization: `Bearer ${sessionToken}` }));
    await raw.until((text) => text.includes('session.ready'));
    raw.socket.pause();
    unread.push(raw);
  }
  await eventually(async () => (await metric(service, 'webchat_sockets')) < SOCKETS);
  expect((await residentBytes()) - before).toBeLessThan(MAX_GROWTH);
  await postToConversation(service, caller, conversationId, 'messages', agentMessage('live')).expect(200);
  expect((await witness.next('message')).message.id).toBe('live');
  const resumed = await connect(service, session, { lastEvent: 0 });
  await resumed.untilEvent(MESSAGES + 1);
  for (const raw of unread) raw.reset();
  await Promise.all([witness.close(), resumed.close()]);
}, 300_000);
