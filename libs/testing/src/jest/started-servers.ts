import type { LocalServer } from '../local-server';

/** From the global setup to the global teardown, which run in one process. */
export const startedServers: LocalServer[] = [];
