import { eventually } from '@cxp/service-kit/testing';
import { send, type HttpRequest } from '@cxp/services/http';

/** Longer than a process needs that is killed and started again. In milliseconds. */
const DONE_WITHIN_MS = 60_000;

/**
 * Sends a request until its answer is 2xx, as a client has to: again after a 503, and after a connection that broke.
 * @param url of the process that is there at the time
 * @throws at any other answer, and after a minute
 */
export async function sendUntilDone<Answer>(url: () => string, request: HttpRequest): Promise<Answer> {
  let answered: unknown;
  await eventually(async () => {
    const answer = await send(url(), request).catch(() => undefined);
    answered = answer?.body;
    if (!answer || answer.status === 503) return false;
    if (answer.status >= 300) throw new Error(`${request.path}: ${answer.status} ${answer.text}`);
    return true;
  }, DONE_WITHIN_MS);
  return answered as Answer;
}
