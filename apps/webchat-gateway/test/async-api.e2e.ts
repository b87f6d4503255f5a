import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestService } from '@cxp/service-kit/testing';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { asyncApiDocument } from '../src/chat-protocol/async-api.controller';
import { startWebchat } from './webchat-service';

const document = JSON.parse(JSON.stringify(asyncApiDocument('wss://webchat.test/sessions')));

describe('/docs/asyncapi.json', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startWebchat();
  });
  afterAll(() => service.stop());

  it('is the document of the sockets, without authentication', async () => {
    expect(await (await fetch(`${service.url}/docs/asyncapi.json`)).json()).toEqual(document);
  });

  it('is valid AsyncAPI 3', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cxp-async-api-'));
    const file = join(directory, 'asyncapi.json');
    writeFileSync(file, JSON.stringify(document));
    const linter = join(workspaceRoot, 'tools/openapi/bin/lint.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [linter, file]);
    rmSync(directory, { recursive: true });
    expect(JSON.parse(stdout)).toEqual([]);
  });
});
