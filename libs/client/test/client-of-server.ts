import { CxpClient, type RetryOptions } from '../src';
import { answeringServer, type AnsweringServer, type Step } from './answering-server';

/** The server of the test. */
export let server: AnsweringServer;
afterEach(() => server.close());

/** Starts a server that answers with these steps, and a client of it. */
export async function client(
  steps: Step[],
  retry: RetryOptions = {},
  timeoutMs?: number,
): Promise<CxpClient> {
  server = await answeringServer(...steps);
  const { url } = server;
  return new CxpClient({
    organizationId: 'acme',
    token: 'cxp_1',
    urls: { webchat: url, contactCenter: url, survey: url },
    retry,
    timeoutMs,
  });
}
