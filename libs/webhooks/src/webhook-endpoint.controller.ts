import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Put, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import { type InvalidItem, ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { ApiProblems, JsonBody } from '@cxp/service-kit';
import { AllowedAddresses, HintError } from './allowed-addresses';
import { HintCall, WebhookSecrets } from './hint-call';
import * as dto from './webhook-endpoint.dto';
import { MAX_ENDPOINTS, WebhookEndpointRepository } from './webhook-endpoint.repository';

const NO_HTTPS_URL = invalidUrl(dto.NO_HTTPS);

const TOO_MANY_ENDPOINTS: InvalidItem = {
  loc: ['path', 'id'],
  msg: `an organization must have at most ${MAX_ENDPOINTS} webhook endpoints`,
  type: 'too_large',
};

const OfOneEndpoint = ApiProblems({
  'there is no such endpoint': { code: 'resource_not_found', model: 'WebhookEndpoint', id: '' },
  'the id is no uuid': {
    code: 'invalid',
    items: [{ loc: ['path', 'id'], msg: 'id must be a UUID', type: 'value_error' }],
  },
});

@ApiTags('Webhook endpoints')
@Controller('external/webhook-endpoints')
export class WebhookEndpointController {
  constructor(
    private readonly endpoints: WebhookEndpointRepository,
    private readonly secrets: WebhookSecrets,
    private readonly addresses: AllowedAddresses,
    private readonly call: HintCall,
  ) {}

  @Put(':id')
  @RequirePermission('$webhook_endpoint:manage')
  @JsonBody()
  @Header('cache-control', 'no-store')
  @ApiOperation({
    operationId: 'putWebhookEndpoint',
    summary: 'Create or change a webhook endpoint',
    description:
      'From then on the endpoint gets hints: the number that the feed of changes has reached. A hint carries no data. It is sent within a ' +
      'second of a change, and signed by Standard Webhooks with the `secret` that creating the endpoint answers. A new, moved or ' +
      'reactivated endpoint gets one at once. The same call again changes nothing.',
  })
  @ApiOkResponse({ type: dto.PutWebhookEndpointResponse, description: 'The endpoint.' })
  @ApiProblems({
    'the url is no https URL, its host does not resolve, or it resolves to an address that is not public': {
      code: 'invalid',
      items: [NO_HTTPS_URL],
    },
    'too many endpoints': { code: 'invalid', items: [TOO_MANY_ENDPOINTS] },
  })
  async put(
    @OrganizationId() organizationId: string,
    @Param() { id }: dto.WebhookEndpointPath,
    @Body() { url, description = null }: dto.PutWebhookEndpointRequest,
  ): Promise<dto.PutWebhookEndpointResponse> {
    await this.rejectUnlessAllowed(url);
    const { secret, encrypted } = await this.createSecret();
    const put = await this.endpoints.put({ organizationId, id }, { url, description }, encrypted);
    if (!put) rejectAsInvalid(TOO_MANY_ENDPOINTS);
    const endpoint = dto.endpointResponse(put.endpoint);
    return put.isNew ? { ...endpoint, secret } : endpoint;
  }

  @Get()
  @RequirePermission('$webhook_endpoint:manage')
  @ApiOperation({ operationId: 'listWebhookEndpoints', summary: 'List webhook endpoints' })
  @ApiOkResponse({
    type: dto.WebhookEndpointsResponse,
    description: 'All of them, in the order of their creation.',
  })
  async list(@OrganizationId() organizationId: string): Promise<dto.WebhookEndpointsResponse> {
    return { items: (await this.endpoints.list(organizationId)).map(dto.endpointResponse) };
  }

  @Get(':id')
  @RequirePermission('$webhook_endpoint:manage')
  @ApiOperation({ operationId: 'getWebhookEndpoint', summary: 'Read a webhook endpoint' })
  @ApiOkResponse({ type: dto.WebhookEndpointResponse, description: 'The endpoint.' })
  @OfOneEndpoint
  async find(
    @OrganizationId() organizationId: string,
    @Param() { id }: dto.WebhookEndpointPath,
  ): Promise<dto.WebhookEndpointResponse> {
    const endpoint = await this.endpoints.find({ organizationId, id });
    return dto.endpointResponse(endpoint ?? rejectAsUnknown(id));
  }

  @Delete(':id')
  @RequirePermission('$webhook_endpoint:manage')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteWebhookEndpoint', summary: 'Delete a webhook endpoint' })
  @ApiNoContentResponse({ description: 'It gets no more hints.' })
  @OfOneEndpoint
  async delete(
    @OrganizationId() organizationId: string,
    @Param() { id }: dto.WebhookEndpointPath,
  ): Promise<void> {
    if (!(await this.endpoints.delete({ organizationId, id }))) rejectAsUnknown(id);
  }

  @Post(':id/secret')
  @RequirePermission('$webhook_endpoint:manage')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new secret',
    description:
      'Hints are signed with the new secret and with those that were current in the last 24 hours, three at most. So a call whose answer was lost can be repeated.',
  })
  @ApiOkResponse({ type: dto.WebhookSecretResponse, description: 'The new secret.' })
  @OfOneEndpoint
  async rotateSecret(
    @OrganizationId() organizationId: string,
    @Param() { id }: dto.WebhookEndpointPath,
  ): Promise<dto.WebhookSecretResponse> {
    const { secret, encrypted } = await this.createSecret();
    if (!(await this.endpoints.rotateSecret({ organizationId, id }, encrypted))) rejectAsUnknown(id);
    return { secret };
  }

  @Post(':id/test')
  @RequirePermission('$webhook_endpoint:manage')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'testWebhookEndpoint',
    summary: 'Send a hint now',
    description: 'Changes nothing of the endpoint. Answers within ten seconds.',
  })
  @ApiOkResponse({
    type: dto.TestHintResponse,
    description: 'The `status` of its answer and `durationMs`, or an `error`.',
  })
  @OfOneEndpoint
  async test(
    @OrganizationId() organizationId: string,
    @Param() { id }: dto.WebhookEndpointPath,
    @Req() request: FastifyRequest,
  ): Promise<dto.TestHintResponse> {
    const target = (await this.endpoints.target({ organizationId, id })) ?? rejectAsUnknown(id);
    const epoch = await this.endpoints.epoch();
    const startedAt = performance.now();
    const outcome = await request.time.pausedFor(() => this.call.send(target, epoch, request.time.signal));
    return 'error' in outcome
      ? outcome
      : { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
  }

  private async createSecret(): Promise<{ secret: string; encrypted: string }> {
    const secret = WebhookSecrets.create();
    const encrypted = await this.secrets.encrypt(secret);
    if (encrypted !== undefined) return { secret, encrypted };
    const msg = 'the service has no WEBHOOK_SECRET_KEYS, with which secrets are stored';
    rejectAsInvalid({ loc: ['path', 'id'], msg, type: 'value_error' });
  }

  private async rejectUnlessAllowed(text: string): Promise<void> {
    await this.addresses.resolve(new URL(text).hostname).catch((error: unknown) => {
      throw error instanceof HintError
        ? new ProblemError({ code: 'invalid', items: [invalidUrl(error.message)] })
        : error;
    });
  }
}

function invalidUrl(msg: string): InvalidItem {
  return { loc: ['body', 'url'], msg, type: 'value_error' };
}

function rejectAsUnknown(id: string): never {
  throw new ProblemError({ code: 'resource_not_found', model: 'WebhookEndpoint', id });
}
