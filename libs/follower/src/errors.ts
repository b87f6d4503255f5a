/** A command that can't be done; its message is the one line that says why. */
export class CommandError extends Error {}

/** A command that is called in a wrong way. */
export class UsageError extends Error {}
