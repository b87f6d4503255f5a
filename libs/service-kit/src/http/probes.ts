/** Routes that machines ask every few seconds, to look after the service. */
export const PROBES = /^\/(health|metrics)\b/;
