import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing';

export function readCommittedDocument(app: string): unknown {
  return JSON.parse(readFileSync(join(workspaceRoot, 'apps', app, 'openapi.json'), 'utf8'));
}
