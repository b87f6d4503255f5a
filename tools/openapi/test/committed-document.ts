import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';

export function readCommittedDocument(app: string): unknown {
  return JSON.parse(readFileSync(join(workspaceRoot, 'apps', app, 'openapi.json'), 'utf8'));
}
