/** Milliseconds since 1970-01-01T00:00:00Z, with microseconds as the fraction. */
export type Instant = number;
