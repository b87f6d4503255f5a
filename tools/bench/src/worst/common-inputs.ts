import { get, input, pipelinedInput, type WorstInputs } from './worst-input';

const GZIPPED = { 'accept-encoding': 'gzip' };

/** What every service answers without credentials: once, and pipelined. */
export const COMMON_INPUTS: WorstInputs = Object.fromEntries(
  [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/docs/openapi.json',
    '/docs',
    '/docs/',
    '/docs/page.js',
    '/docs/redoc.js',
    '/docs/reference.json',
  ].map((path) => {
    const request = { ...get(path), headers: GZIPPED };
    return [`GET ${path}`, [input('gzipped', () => request), pipelinedInput(2_000, request)]];
  }),
);
