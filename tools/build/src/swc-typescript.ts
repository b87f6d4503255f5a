import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform, type Options } from '@swc/core';
import type { Plugin } from 'esbuild';

/**
 * Lets esbuild read TypeScript through swc, which emits the decorator metadata that Nest injects by, and resolve the
 * aliases of tsconfig.base.json.
 */
export function swcTypescript(workspaceRoot: string): Plugin {
  const readJson = (name: string): unknown => JSON.parse(readFileSync(join(workspaceRoot, name), 'utf8'));
  const options = readJson('.swcrc') as Options;
  const { paths } = (
    readJson('tsconfig.base.json') as { compilerOptions: { paths: Record<string, [string]> } }
  ).compilerOptions;
  const aliases = Object.entries(paths).map(([alias, [target]]) => ({
    pattern: new RegExp(`^${alias.replace('*', '(.*)')}$`),
    target: join(workspaceRoot, target.replace('*', '$1')),
  }));
  return {
    name: 'swc-typescript',
    setup(build) {
      build.onResolve({ filter: /^@cxp\// }, ({ path, resolveDir, kind }) => {
        const alias = aliases.find(({ pattern }) => pattern.test(path));
        if (!alias) return undefined;
        const target = path.replace(alias.pattern, alias.target);
        return build.resolve(target, { resolveDir, kind });
      });
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const { code } = await transform(await readFile(path, 'utf8'), {
          ...options,
          filename: path,
          swcrc: false,
          // esbuild needs the imports to follow them.
          module: { type: 'es6' },
        });
        return { contents: code, loader: 'js' };
      });
    },
  };
}
