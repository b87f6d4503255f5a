import type { TestService } from '@cxp/service-kit/testing';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { SocketServer } from '../src/sockets/socket-server';
import { connect, openSession } from './conversation-service';
import { RawSocket } from './raw-socket';
import { startProcess, startWebchat, webchatCaller } from './webchat-service';

let service: TestService;
let process: ServiceProcess;

beforeAll(async () => {
  service = await startWebchat();
  process = await startProcess(service);
});
afterAll(async () => {
  await process.stop();
  await service.stop();
});

it('a process that gets SIGTERM stores what was sent, acknowledges it, and closes with 1012', async () => {
  const session = await openSession(service, await webchatCaller(service));
  const client = await connect(process, session);
  for (let i = 1; i <= 10; i++) client.sendMessage(`c-${i}`);
  await client.roundTrip();
  process.signal('SIGTERM');
  expect(await client.closed).toEqual([1012, 'Connect again']);
  expect(client.received('message.accepted')).toHaveLength(10);
  expect(await process.exited).toBe(0);

  const again = await connect(service, session, { lastEvent: 8 });
  expect((await again.nextMessages(2)).map(({ clientId }) => clientId)).toEqual(['c-9', 'c-10']);
  await again.close();
});

it('while a process stops, an upgrade is 503 in the envelope of the area', async () => {
  const session = await openSession(service, await webchatCaller(service));
  await service.app.get(SocketServer).beforeApplicationShutdown();
  const raw = await RawSocket.upgrade(service.url, new URL(session.websocketUrl).pathname);
  await raw.closed;
  expect(raw.text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(raw.text).toMatch(/\r\nX-Request-Id: [-0-9a-f]{36}\r\n/);
  expect(raw.text).toMatch(/\r\n\r\n\{"message":"Service Unavailable","statusCode":503\}$/);
});
