import { CxpError } from '../errors';

/** The server refused a message or a rating for good. */
export class ChatError extends CxpError {
  constructor(
    /** The `code` of the error frame. */
    readonly code: string,
    message: string,
  ) {
    super(`${code}: ${message}`);
  }
}

/** The chat has ended before a message or a rating was acknowledged. */
export class ChatEndedError extends CxpError {
  constructor() {
    super('The chat has ended');
  }
}
