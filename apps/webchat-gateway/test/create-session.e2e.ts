import type { Caller, TestService } from '@cxp/service-kit/testing';
import { createSession, startWebchat, webchatCaller } from './webchat-service';

describe('A1: POST /external/sessions', () => {
  let service: TestService;
  let caller: Caller;

  beforeAll(async () => {
    service = await startWebchat();
    caller = await webchatCaller(service);
  });
  afterAll(() => service.stop());

  it('answers 201 with every field of the contract', async () => {
    const { body, headers } = await createSession(service, caller, { id: 'customer-1' }).expect(201);
    expect(body).toEqual({
      userId: 'customer-1',
      sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      sessionToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      sessionTokenExpiration: expect.any(Number),
      websocketUrl: `wss://webchat.test/sessions/${body.sessionId}`,
      conversationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(headers['cache-control']).toBe('no-store');
  });
});
