import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';

/** The documents of integrators: a test runs their snippets beside a local stack. Paths start at the workspace's root. */
export const DOCUMENTS = [
  'README.md',
  'apps/README.md',
  'libs/client/README.md',
  'libs/client-python/README.md',
] as const;

/** Blocks that the test does not run. */
export const SHOWN_LANGUAGES = ['', 'text', 'json', 'mermaid', 'yaml'];

export interface Snippet {
  readonly language: string;
  readonly text: string;
}

/** The fenced blocks of a document, in their order; those of lists without their indentation. */
export function snippetsOf(document: string): Snippet[] {
  const text = readFileSync(join(workspaceRoot, document), 'utf8');
  return [...text.matchAll(/^( *)```(\w*)\n([^]*?)^\1```$/gm)].map(([, indentation, language, code]) => ({
    language: language!,
    text: code!.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  }));
}

/** All blocks of one language as one program: later ones use what earlier ones have made. */
export function programOf(document: string, language: string): string | undefined {
  const blocks = snippetsOf(document).filter((snippet) => snippet.language === language);
  return blocks.length === 0 ? undefined : blocks.map(({ text }) => text).join('\n');
}
