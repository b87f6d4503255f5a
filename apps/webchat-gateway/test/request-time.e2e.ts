import { randomUUID } from 'node:crypto';
import { REAL_DEADLINE_MS, statusInTime } from '@cxp/service-kit/testing';
import { ChatService } from '../src/conversations/chat.service';
import { SessionService } from '../src/sessions/session.service';
import { caller, createBody, service, useWebchat } from './webchat-service';

useWebchat(() => ({ CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS) }));

const never = () => new Promise<never>(() => undefined);

it.each([
  ['/external/sessions', () => createBody(caller)],
  ['/external/sessions/refresh', () => ({ sessionId: randomUUID() })],
  [
    `/internal/conversations/${randomUUID()}/messages`,
    () => ({ id: randomUUID(), senderType: 'agent', text: 'Hello', agent: { accountId: 1 } }),
  ],
])('POST %s with a body that is handled too slowly is 503 in time', async (path, body) => {
  jest.spyOn(service.app.get(SessionService), 'create').mockImplementation(never);
  jest.spyOn(service.app.get(SessionService), 'refresh').mockImplementation(never);
  jest.spyOn(service.app.get(ChatService), 'sendMessage').mockImplementation(never);
  const call = () =>
    fetch(service.url + path, {
      method: 'POST',
      headers: { ...caller.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body()),
    });
  expect(await statusInTime(call)).toEqual({ status: 503, isInTime: true });
});
