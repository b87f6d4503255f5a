import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { loadSettings, SettingsError } from '@cxp/service-kit';
import type { TestService } from '@cxp/service-kit/testing';
import { freePort } from '@cxp/testing';
import { WebchatSettings } from '../src/settings';
import { ChatClient } from './chat-client';
import { openSession } from './conversation-service';
import { startWebchat, webchatCaller } from './webchat-service';

let service: TestService;
let directory: string;
let ca: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-tls-'));
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  ca = cert;
  writeFileSync(join(directory, 'cert.pem'), cert);
  writeFileSync(join(directory, 'key.pem'), key);
  const port = await freePort();
  service = await startWebchat({
    WEBCHAT_WEBSOCKET_URL: `wss://localhost:${port}/sessions`,
    WEBCHAT_TLS_PORT: String(port),
    WEBCHAT_TLS_CERT: join(directory, 'cert.pem'),
    WEBCHAT_TLS_KEY: join(directory, 'key.pem'),
  });
});
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
});

it('with a certificate the websocketUrl connects as it is returned', async () => {
  const { websocketUrl, sessionToken } = await openSession(service, await webchatCaller(service));
  const client = await ChatClient.open(websocketUrl, { sessionToken, ca });
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
