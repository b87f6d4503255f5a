/** The message is one line with the reason. */
export class CommandError extends Error {}

/** The command line is wrong. */
export class UsageError extends Error {}
