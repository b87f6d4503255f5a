import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestService } from '@cxp/service-kit/testing';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { asyncApiDocument } from '../src/chat-protocol/async-api.controller';
import { CLIENT_FRAMES } from '../src/chat-protocol/client-frames';
import { SERVER_FRAMES } from '../src/chat-protocol/server-frames';
import { startWebchat } from './webchat-service';

const document = JSON.parse(JSON.stringify(asyncApiDocument('wss://webchat.test/sessions')));

/** Everything in the document that is a reference. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => (key === '$ref' ? [String(item)] : references(item)));
}

function resolve(reference: string): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce((value: unknown, key) => (value as Record<string, unknown>)[key], document);
}

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

  it('refers only to what it holds', () => {
    for (const reference of references(document)) {
      expect([reference, resolve(reference)]).toEqual([reference, expect.any(Object)]);
    }
  });

  it('describes every frame', () => {
    const { receiveFrames, sendFrames } = (
      document as { operations: Record<string, { messages: unknown[] }> }
    ).operations;
    expect(receiveFrames!.messages).toHaveLength(Object.keys(CLIENT_FRAMES).length);
    expect(sendFrames!.messages).toHaveLength(Object.keys(SERVER_FRAMES).length);
  });
});
