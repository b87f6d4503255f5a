import { Gauge, type Registry } from 'prom-client';
import { manifestAbove } from '../manifest';

export function measureBuild(registry: Registry): void {
  const { version, commit = 'unknown' } = manifestAbove(__dirname);
  new Gauge({
    name: 'cxp_build_info',
    help: '1, with the version and the commit of what runs',
    labelNames: ['version', 'commit'],
    registers: [registry],
  }).set({ version, commit }, 1);
}
