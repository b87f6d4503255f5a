import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Manifest {
  readonly version: string;
  readonly commit?: string;
}

export function manifestAbove(directory: string): Manifest {
  const file = join(directory, 'package.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const parent = dirname(directory);
  return parent === directory ? { version: 'unknown' } : manifestAbove(parent);
}
