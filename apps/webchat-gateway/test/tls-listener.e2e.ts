import { loadSettings, SettingsError } from '@cxp/service-kit';
import type { TestService } from '@cxp/service-kit/testing';
import { freePort } from '@cxp/testing';
import { WebchatSettings } from '../src/settings';
import { createCertificate, type TestCertificate } from './certificate';
import { ChatClient } from './chat-client';
import { openSession } from './conversation-service';
import { startWebchat, webchatCaller } from './webchat-service';

let service: TestService;
let certificate: TestCertificate;

beforeAll(async () => {
  certificate = await createCertificate();
  const port = await freePort();
  service = await startWebchat({
    WEBCHAT_WEBSOCKET_URL: `wss://localhost:${port}/sessions`,
    WEBCHAT_TLS_PORT: String(port),
    ...certificate.settings,
  });
});
afterAll(async () => {
  await service.stop();
  certificate.remove();
});

it('with a certificate the websocketUrl connects as it is returned', async () => {
  const { websocketUrl, sessionToken } = await openSession(service, await webchatCaller(service));
  const client = await ChatClient.open(websocketUrl, { sessionToken, ca: certificate.pem });
  client.sendMessage('c-1');
  await client.next('message.accepted');
  await client.close();
});

it.each(['WEBCHAT_TLS_CERT', 'WEBCHAT_TLS_KEY'])('%s alone stops the service', (name) => {
  const environment = { ...service.environment, WEBCHAT_TLS_CERT: '', WEBCHAT_TLS_KEY: '', [name]: 'x.pem' };
  expect(() => loadSettings(WebchatSettings, environment)).toThrow(
    new SettingsError('bad settings: WEBCHAT_TLS_CERT and WEBCHAT_TLS_KEY must be set together'),
  );
});
