import { SocketServer } from '../src/sockets/socket-server';
import { connect, server, session, useProcess } from './conversation-service';
import { RawSocket } from './raw-socket';
import { service } from './webchat-service';

useProcess();

it('a process that gets SIGTERM stores what was sent, acknowledges it, and closes with 1012', async () => {
  const client = await connect(server, session);
  for (let i = 1; i <= 10; i++) client.sendMessage(`c-${i}`);
  await client.roundTrip();
  server.signal('SIGTERM');
  expect(await client.closed).toEqual([1012, 'Connect again']);
  expect(client.received('message.accepted')).toHaveLength(10);
  expect(await server.exited).toBe(0);

  const again = await connect(service, session, { lastEvent: 8 });
  expect((await again.nextMessages(2)).map(({ clientId }) => clientId)).toEqual(['c-9', 'c-10']);
  await again.close();
});

it('while a process stops, an upgrade is 503 in the envelope of the area', async () => {
  await service.app.get(SocketServer).beforeApplicationShutdown();
  const raw = await RawSocket.upgrade(service.url, new URL(session.websocketUrl).pathname);
  await raw.closed;
  expect(raw.text).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n/);
  expect(raw.text).toMatch(/\r\nX-Request-Id: [-0-9a-f]{36}\r\n/);
  expect(raw.text).toMatch(/\r\n\r\n\{"message":"Service Unavailable","statusCode":503\}$/);
});
