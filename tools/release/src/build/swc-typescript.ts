import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform, type Options, type TsParserConfig } from '@swc/core';
import type { Plugin } from 'esbuild';

/** Lets esbuild read TypeScript through swc, which emits the decorator metadata that Nest injects by. */
export function swcTypescript(workspaceRoot: string): Plugin {
  const options = JSON.parse(readFileSync(join(workspaceRoot, '.swcrc'), 'utf8')) as Options;
  const parser = options.jsc!.parser as TsParserConfig;
  return {
    name: 'swc-typescript',
    setup(build) {
      build.onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
        const { code } = await transform(await readFile(path, 'utf8'), {
          ...options,
          jsc: { ...options.jsc, parser: { ...parser, tsx: path.endsWith('.tsx') } },
          filename: path,
          swcrc: false,
          // esbuild needs the imports to follow them.
          module: { type: 'es6' },
        });
        return { contents: code + classNames(code), loader: 'js' };
      });
    },
  };
}

/** A class as swc prints it, after its comment. */
const TOP_LEVEL_CLASS = /^(?:(?:\/\*.*| )\*\/ )?(?:export )?(?:let \w+ = )?class (\w+)/gm;

/**
 * Statements that give each class its own name again, in case esbuild renames it beside another one: names of controllers, DTOs and
 * migrations are seen outside. esbuild's `keepNames` would do that for every function, too, each time that it is created:
 * 5% to 16% of the processor time of a small request.
 */
function classNames(code: string): string {
  return Array.from(
    code.matchAll(TOP_LEVEL_CLASS),
    ([, name]) => `\nObject.defineProperty(${name}, 'name', { value: '${name}', configurable: true });`,
  ).join('');
}
