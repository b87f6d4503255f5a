import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Gauge, type Registry } from 'prom-client';

interface Manifest {
  readonly version: string;
  /** Of the sources that it was built from; images have it. */
  readonly commit?: string;
}

/** A metric with the version and the commit. */
export function measureBuild(registry: Registry): void {
  const { version, commit = 'unknown' } = manifestAbove(__dirname);
  new Gauge({
    name: 'cxp_build_info',
    help: '1, with the version and the commit of what runs',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set({ version, commit }, 1);
}

/** The package.json beside the bundle, or that of the workspace for sources. */
function manifestAbove(directory: string): Manifest {
  const file = join(directory, 'package.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  const parent = dirname(directory);
  return parent === directory ? { version: 'unknown' } : manifestAbove(parent);
}
