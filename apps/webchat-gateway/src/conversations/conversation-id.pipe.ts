import { Injectable, type PipeTransform } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A conversation id in a path, as it is stored: what can't be one is not found, rather than wrong. */
@Injectable()
export class ConversationIdPipe implements PipeTransform<string, string> {
  transform(id: string): string {
    if (!UUID.test(id)) throw conversationNotFound(id);
    return id.toLowerCase();
  }
}

export function conversationNotFound(id: string): ProblemError {
  return new ProblemError({ code: 'resource_not_found', model: 'Conversation', id });
}
