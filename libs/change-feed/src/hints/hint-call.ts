import { createHash } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Agent, request } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { type AllowedAddresses, RefusedHostError } from './allowed-addresses';
import type { WebhookSecrets } from './webhook-secrets';
import type { EndpointKey, HintTarget } from './webhook-endpoint.repository';

/** How long a call may take in all, in milliseconds: resolving, connecting, and the answer. */
const CALL_MS = 10_000;

const MAX_ANSWER_BYTES = 1_024;

/** The outcome of a call: the status of the answer, or why there was none. */
export type HintOutcome = { readonly status: number } | { readonly error: string };

interface Post {
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly addresses: readonly LookupAddress[];
  readonly signal: AbortSignal;
}

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

  async send(key: EndpointKey, target: HintTarget, epoch: string, stop?: AbortSignal): Promise<HintOutcome> {
    const timeout = AbortSignal.timeout(CALL_MS);
    const signal = stop ? AbortSignal.any([timeout, stop]) : timeout;
    try {
      const url = new URL(target.url);
      const body = this.body(key, target);
      const headers = this.headers(key, target, epoch, body);
      const addresses = await this.addresses.resolve(url.hostname);
      return { status: await this.post(url, { headers, body, addresses, signal }) };
    } catch (error) {
      return { error: timeout.aborted ? 'no answer within 10 seconds' : reasonOf(error) };
    }
  }

  private body({ organizationId }: EndpointKey, { change }: HintTarget): string {
    return JSON.stringify({
      type: this.type,
      timestamp: new Date().toISOString(),
      data: { organizationId, change },
    });
  }

  /** The same number of an endpoint has the same id. */
  private headers(key: EndpointKey, target: HintTarget, epoch: string, body: string): Record<string, string> {
    const context = contextOf(key);
    const hash = createHash('sha256').update(JSON.stringify([context, epoch, target.change]));
    const id = `msg_${hash.digest('hex').slice(0, 32)}`;
    const now = new Date();
    const secrets = [target.secret, target.previousSecret].filter((secret) => secret !== null);
    const signatures = secrets.map((secret) =>
      new Webhook(this.secrets.decrypt(secret, context)).sign(id, now, body),
    );
    return {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': signatures.join(' '),
    };
  }

  /** Connects to addresses that were checked: the name is not resolved again. */
  private async post(url: URL, { headers, body, addresses, signal }: Post): Promise<number> {
    const pinned: LookupFunction = (_host, { all }, callback) =>
      all ? callback(null, [...addresses]) : callback(null, addresses[0]!.address, addresses[0]!.family);
    const length = Buffer.byteLength(body);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(url, {
        method: 'POST',
        agent: this.agent,
        lookup: pinned,
        rejectUnauthorized: true,
        signal,
        headers: { ...headers, 'content-type': 'application/json', 'content-length': length },
      })
        .on('response', resolve)
        .on('error', reject)
        .end(body);
    });
    await discard(answer).catch(() => undefined);
    return answer.statusCode!;
  }
}

/** The context that the secrets of an endpoint are encrypted for. */
export function contextOf({ organizationId, id }: EndpointKey): string {
  return JSON.stringify([organizationId, id]);
}

/** Reads an answer, so that its connection ends well; a longer one is cut. */
async function discard(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_ANSWER_BYTES) return;
  }
}

/** A code, or our own words: messages of Node.js have addresses in them. */
function reasonOf(error: unknown): string {
  if (error instanceof RefusedHostError) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? (message.startsWith('WEBHOOK_SECRET_KEYS') ? message : 'the call failed');
}
