/** Monitoring requests these routes every few seconds. */
export const PROBES = /^\/(health|metrics)\b/;
