import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const workspaceRoot = resolve(__dirname, '../../../..');

/** What the image sets for Node.js and malloc: services are measured and attacked as they are deployed. */
export function imageEnvironment(): Record<string, string> {
  const dockerfile = readFileSync(join(workspaceRoot, 'docker', 'Dockerfile'), 'utf8');
  const { nodeOptions, arenas } =
    /^ENV NODE_OPTIONS="(?<nodeOptions>[^"]+)" MALLOC_ARENA_MAX=(?<arenas>\d+)$/m.exec(dockerfile)!.groups!;
  return { NODE_ENV: 'production', NODE_OPTIONS: nodeOptions!, MALLOC_ARENA_MAX: arenas! };
}
