import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { workspaceRoot } from '@cxp/testing/local-servers';

/** The parts of a Compose service that are looked at here. */
export interface ComposeService {
  readonly image: string;
  readonly build?: { readonly args: Readonly<Record<string, string>> };
  readonly entrypoint?: string[];
  readonly command?: string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly read_only?: boolean;
  readonly volumes?: string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly restart?: boolean }>>;
}

export interface ComposeFile {
  readonly name: string;
  readonly services: Readonly<Record<string, ComposeService>>;
}

/** docker/compose.yaml with the values that it takes from the environment, or when that has none. */
export function readComposeFile(environment: Readonly<Record<string, string>> = {}): ComposeFile {
  const text = readFileSync(join(workspaceRoot, 'docker/compose.yaml'), 'utf8');
  const interpolate = (_: unknown, value: unknown) =>
    typeof value === 'string'
      ? value
          .replace(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, value: string) => environment[name] || value)
          .replaceAll('$$', '$')
      : value;
  return parse(text, interpolate, { merge: true }) as ComposeFile;
}
