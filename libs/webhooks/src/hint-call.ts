import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { Webhook } from 'standardwebhooks';
import { type AllowedAddresses, HintError } from './allowed-addresses';
import type { HintTarget } from './webhook-endpoint.repository';
import type { WebhookSecrets } from './webhook-secrets';

/** How long a call may take in all, in milliseconds: resolving, connecting, and the answer. */
const CALL_MS = 10_000;

const MAX_ANSWER_BYTES = 1_024;

/** The outcome of a call: the status of the answer, or why there was none. */
export type HintOutcome = { readonly status: number } | { readonly error: string };

/** Signs hints, and sends them to the addresses that are allowed. */
export class HintCall {
  /**
   * @param type the feed that hints are about
   * @param agent makes a connection for each hint; not the global one, which may be set to use a proxy
   */
  constructor(
    private readonly type: string,
    private readonly secrets: WebhookSecrets,
    private readonly addresses: AllowedAddresses,
    private readonly agent = new Agent({ keepAlive: false }),
  ) {}

  async send(target: HintTarget, epoch: string, stop?: AbortSignal): Promise<HintOutcome> {
    const timeout = AbortSignal.timeout(CALL_MS);
    // AbortSignal.any() would leave an entry of each call in a signal that lasts as long as the process.
    const call = new AbortController();
    const end = () => call.abort();
    for (const signal of [timeout, stop]) signal?.addEventListener('abort', end);
    if (stop?.aborted) end();
    try {
      return { status: await this.post(target, epoch, call.signal) };
    } catch (error) {
      return { error: timeout.aborted ? 'no answer within 10 seconds' : reasonOf(error) };
    } finally {
      stop?.removeEventListener('abort', end);
    }
  }

  private async post(target: HintTarget, epoch: string, signal: AbortSignal): Promise<number> {
    const { organizationId, change } = target;
    const now = new Date();
    const data = { organizationId, change };
    const body = JSON.stringify({ type: this.type, timestamp: now.toISOString(), data });
    const headers = await this.signatureOf(body, target, epoch, now);
    const url = new URL(target.url);
    const addresses = await this.addresses.resolve(url.hostname);
    const [first] = addresses;
    const outgoing = request(url, {
      method: 'POST',
      agent: this.agent,
      // To addresses that were checked: the name is not resolved again.
      lookup: (_host, { all }, answer) =>
        all ? answer(null, [...addresses]) : answer(null, first!.address, first!.family),
      rejectUnauthorized: true,
      signal,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject);
      outgoing.on('close', () => reject(new HintError('the connection was closed without an answer')));
      // A protocol that was not asked for: without a listener Node.js closes the connection.
      outgoing.on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve(answer.destroy());
      });
    });
    outgoing.end(body);
    const answer = await answered;
    await discard(answer).catch(() => undefined);
    return answer.statusCode!;
  }

  /** The headers of Standard Webhooks. The same number of an endpoint has the same id. */
  private async signatureOf(body: string, target: HintTarget, epoch: string, now: Date) {
    const { organizationId, id: endpointId, change, secret, previousSecret, previousSecretUntil } = target;
    const hash = createHash('sha256').update(JSON.stringify([organizationId, endpointId, epoch, change]));
    const id = `msg_${hash.digest('hex').slice(0, 32)}`;
    const isRotated = previousSecret !== null && previousSecretUntil !== null && previousSecretUntil > now;
    const secrets = isRotated ? [secret, previousSecret] : [secret];
    const signatures = secrets.map(async (encrypted) =>
      new Webhook(await this.secrets.decrypt(encrypted)).sign(id, now, body),
    );
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': (await Promise.all(signatures)).join(' '),
    };
  }
}

/** Reads an answer, so that its connection ends well; a longer one is cut. */
async function discard(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_ANSWER_BYTES) return;
  }
}

/** Our own words, or a code: messages of Node.js have addresses in them. */
function reasonOf(error: unknown): string {
  if (error instanceof HintError) return error.message;
  return (error as NodeJS.ErrnoException).code ?? 'the call failed';
}
