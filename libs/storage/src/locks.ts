/**
 * The key spaces of PostgreSQL's advisory locks. Locks of rows, and the order in which a transaction takes them, are in
 * libs/README.md.
 */
export const ADVISORY_LOCKS = {
  migrations: 0x637870,
  organization: 0x696e,
  endpoints: 0x7765,
} as const;
