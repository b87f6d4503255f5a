import { ProblemError, rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { type AllowedAddresses, RefusedHostError } from './allowed-addresses';
import { contextOf, type HintCall } from './hint-call';
import { MAX_ENDPOINTS } from './hint-table';
import type {
  PutWebhookEndpointRequest,
  PutWebhookEndpointResponse,
  TestHintResponse,
} from './webhook-endpoint.dto';
import type { EndpointKey, WebhookEndpoint, WebhookEndpointRepository } from './webhook-endpoint.repository';
import { WebhookSecrets } from './webhook-secrets';

export const TOO_MANY_ENDPOINTS: InvalidItem = {
  loc: ['path', 'id'],
  msg: `an organization must have at most ${MAX_ENDPOINTS} webhook endpoints`,
  type: 'too_large',
};

/** The webhook endpoints of an area. */
export class WebhookEndpointService {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: WebhookSecrets,
    private readonly addresses: AllowedAddresses,
    private readonly call: HintCall,
  ) {}

  /** @throws ProblemError 422 if hints can't be sent to the URL, or the organization has too many endpoints */
  async put(
    key: EndpointKey,
    { url, description = null }: PutWebhookEndpointRequest,
  ): Promise<PutWebhookEndpointResponse> {
    await this.rejectUnlessAllowed(url);
    const { secret, encrypted } = this.createSecret(key);
    const put = await this.endpoints.put(key, { url, description }, encrypted);
    if (!put) rejectAsInvalid(TOO_MANY_ENDPOINTS);
    const { isNew, ...endpoint } = put;
    return isNew ? { ...endpoint, secret } : endpoint;
  }

  list(organizationId: string): Promise<WebhookEndpoint[]> {
    return this.endpoints.list(organizationId);
  }

  /** @throws ProblemError 404, as all below */
  async find(key: EndpointKey): Promise<WebhookEndpoint> {
    return (await this.endpoints.find(key)) ?? rejectAsUnknown(key);
  }

  async delete(key: EndpointKey): Promise<void> {
    if (!(await this.endpoints.delete(key))) rejectAsUnknown(key);
  }

  async rotateSecret(key: EndpointKey): Promise<{ secret: string }> {
    const { secret, encrypted } = this.createSecret(key);
    if (!(await this.endpoints.rotateSecret(key, encrypted))) rejectAsUnknown(key);
    return { secret };
  }

  /** Sends a hint, of which nothing is noted. */
  async test(key: EndpointKey): Promise<TestHintResponse> {
    const target = (await this.endpoints.target(key)) ?? rejectAsUnknown(key);
    const epoch = await this.endpoints.epoch();
    const startedAt = performance.now();
    const outcome = await this.call.send(key, target, epoch);
    if ('error' in outcome) return outcome;
    return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  }

  private createSecret(key: EndpointKey): { secret: string; encrypted: string } {
    const secret = WebhookSecrets.create();
    const encrypted = this.secrets.encrypt(secret, contextOf(key));
    if (encrypted !== undefined) return { secret, encrypted };
    const msg = 'the service has no WEBHOOK_SECRET_KEYS, with which secrets are stored';
    rejectAsInvalid({ loc: ['path', 'id'], msg, type: 'value_error' });
  }

  private async rejectUnlessAllowed(text: string): Promise<void> {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url?.protocol !== 'https:') rejectUrl('url must be an https:// URL');
    if (url.username !== '' || url.password !== '') rejectUrl('url must not have a user name or password');
    await this.addresses.resolve(url.hostname).catch((error: unknown) => {
      if (error instanceof RefusedHostError) rejectUrl(error.message);
      throw error;
    });
  }
}

function rejectUrl(msg: string): never {
  rejectAsInvalid({ loc: ['body', 'url'], msg, type: 'value_error' });
}

function rejectAsUnknown({ id }: EndpointKey): never {
  throw new ProblemError({ code: 'resource_not_found', model: 'WebhookEndpoint', id });
}
