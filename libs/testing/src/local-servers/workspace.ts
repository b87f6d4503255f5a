import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const workspaceRoot = resolve(__dirname, '../../../..');

/** The image's environment for Node.js and malloc, so that services are measured as deployed. */
export function imageEnvironment(): Record<string, string> {
  const dockerfile = readFileSync(join(workspaceRoot, 'docker', 'Dockerfile'), 'utf8');
  const { nodeOptions, arenas } =
    /^ENV NODE_OPTIONS="(?<nodeOptions>[^"]+)" MALLOC_ARENA_MAX=(?<arenas>\d+)$/m.exec(dockerfile)!.groups!;
  return { NODE_ENV: 'production', NODE_OPTIONS: nodeOptions!, MALLOC_ARENA_MAX: arenas! };
}
