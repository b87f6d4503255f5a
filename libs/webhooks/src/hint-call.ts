import { createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { Logger } from '@nestjs/common';
import { CompactEncrypt, compactDecrypt } from 'jose';
import type { SigningKey } from '@cxp/service-kit';
import { type AllowedAddresses, HintError } from './allowed-addresses';
import type { HintTarget } from './webhook-endpoint.repository';

const CALL_MS = 10_000;

const MAX_ANSWER_BYTES = 1_024;

/** Interim answers (1xx) of a call: without a limit 40 endpoints stop everything else for seconds. */
const MAX_INTERIM_ANSWERS = 10;

const SECRET_PREFIX = 'whsec_';

export type HintOutcome = { readonly status: number } | { readonly error: string };

/** JWE with `WEBHOOK_SECRET_KEYS`: the first key encrypts, all of them decrypt. */
export class WebhookSecrets {
  private readonly logger = new Logger(WebhookSecrets.name);
  private readonly keys: ReadonlyMap<string | undefined, Uint8Array>;

  constructor(keys: readonly SigningKey[] = []) {
    const derived = ({ secret }: SigningKey) =>
      hkdfSync('sha256', secret, '', 'webhook endpoint secrets', 32);
    this.keys = new Map(keys.map((key) => [key.id, new Uint8Array(derived(key))]));
  }

  static create(): string {
    return `${SECRET_PREFIX}${randomBytes(32).toString('base64')}`;
  }

  /** @returns undefined without keys */
  async encrypt(secret: string): Promise<string | undefined> {
    const [first] = this.keys;
    if (!first) return undefined;
    const header = { alg: 'dir', enc: 'A256GCM', kid: first[0] };
    return new CompactEncrypt(Buffer.from(secret)).setProtectedHeader(header).encrypt(first[1]);
  }

  /** @throws HintError if its key is gone */
  async decrypt(encrypted: string): Promise<string> {
    const { plaintext } = await compactDecrypt(encrypted, ({ kid }) => {
      const key = this.keys.get(kid);
      if (key) return key;
      // For the operator; the endpoint's reason is read by a tenant.
      this.logger.error(`WEBHOOK_SECRET_KEYS has no key ${kid}, which secrets of endpoints need`);
      throw new HintError('the secret of the endpoint can not be read: make a new one');
    });
    return Buffer.from(plaintext).toString();
  }
}

export class HintCall {
  /**
   * @param type the feed of the hints
   * @param agent makes a connection per hint; the global one might use a proxy
   */
  constructor(
    private readonly type: string,
    private readonly secrets: WebhookSecrets,
    private readonly addresses: AllowedAddresses,
    private readonly agent = new Agent({ keepAlive: false }),
  ) {}

  async send(target: HintTarget, epoch: string, stop?: AbortSignal): Promise<HintOutcome> {
    const timeout = AbortSignal.timeout(CALL_MS);
    // AbortSignal.any() would leak an entry per call into a signal that lasts as long as the process.
    const call = new AbortController();
    const end = () => call.abort();
    for (const signal of [timeout, stop]) signal?.addEventListener('abort', end);
    if (stop?.aborted) end();
    try {
      return { status: await this.post(target, epoch, call.signal) };
    } catch (error) {
      return { error: timeout.aborted ? `no answer within ${CALL_MS / 1_000} seconds` : reasonOf(error) };
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
      // Connects to the checked addresses, without resolving again.
      lookup: (_host, { all }, answer) =>
        all ? answer(null, [...addresses]) : answer(null, first!.address, first!.family),
      rejectUnauthorized: true,
      signal,
      headers: { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    let interim = 0;
    outgoing.on('information', () => {
      if (++interim > MAX_INTERIM_ANSWERS) outgoing.destroy(new HintError('too many interim answers'));
    });
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.on('response', resolve).on('error', reject);
      outgoing.on('close', () => reject(new HintError('the connection was closed without an answer')));
      // Without a listener Node.js closes the connection at an unrequested upgrade.
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

  /** Headers of Standard Webhooks. An endpoint's hint of the same number has the same id. */
  private async signatureOf(body: string, target: HintTarget, epoch: string, now: Date) {
    const { organizationId, id: endpointId, change, secret, previousSecrets } = target;
    const hash = createHash('sha256').update(JSON.stringify([organizationId, endpointId, epoch, change]));
    const id = `msg_${hash.digest('hex').slice(0, 32)}`;
    const current = previousSecrets.filter(({ until }) => new Date(until) > now);
    const secrets = [secret, ...current.map((previous) => previous.secret)];
    const timestamp = String(Math.floor(now.getTime() / 1_000));
    const signatures = secrets.map(async (encrypted) =>
      signatureWith(await this.secrets.decrypt(encrypted), `${id}.${timestamp}.${body}`),
    );
    return {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': (await Promise.all(signatures)).join(' '),
    };
  }
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#symmetric-signatures */
export function signatureWith(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

/** Reads an answer up to a limit, so that the connection ends cleanly. */
async function discard(answer: IncomingMessage): Promise<void> {
  let bytes = 0;
  for await (const chunk of answer) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_ANSWER_BYTES) return;
  }
}

/** Messages of Node.js contain addresses, which a tenant must not see. */
function reasonOf(error: unknown): string {
  if (error instanceof HintError) return error.message;
  return (error as NodeJS.ErrnoException).code ?? 'the call failed';
}
