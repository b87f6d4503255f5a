import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing';

/** The services of the workspace. */
export const apps = readdirSync(join(workspaceRoot, 'apps')).filter((app) =>
  existsSync(join(workspaceRoot, 'apps', app, 'src/main.ts')),
);
