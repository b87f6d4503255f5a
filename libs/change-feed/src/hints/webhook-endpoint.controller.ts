import { applyDecorators, Body, Controller, Delete, Get, Header, HttpCode } from '@nestjs/common';
import { Param, Post, Put, Req } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { OrganizationId, RequirePermission } from '@cxp/auth-headers';
import type { InvalidItem } from '@cxp/error-envelopes';
import { ApiProblems, type DescribedProblems, JsonBody, AtClientPace, outsideWork } from '@cxp/service-kit';
import {
  PutWebhookEndpointRequest,
  PutWebhookEndpointResponse,
  TestHintResponse,
  WebhookEndpointPath,
  WebhookEndpointResponse,
  WebhookEndpointsResponse,
  WebhookSecretResponse,
} from './webhook-endpoint.dto';
import { TOO_MANY_ENDPOINTS, WebhookEndpointService } from './webhook-endpoint.service';

const BODY_LIMIT_BYTES = 64 * 1_024;

@ApiTags('Webhook endpoints')
@RequirePermission('$webhook_endpoint:manage')
@Controller('external/webhook-endpoints')
export class WebhookEndpointController {
  constructor(private readonly endpoints: WebhookEndpointService) {}

  @Put(':id')
  @JsonBody(BODY_LIMIT_BYTES)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    operationId: 'putWebhookEndpoint',
    summary: 'Create or change a webhook endpoint',
    description:
      'From then on the endpoint gets hints: the number that the feed of changes has reached. A hint carries no data. It is sent within a ' +
      'second of a change, and signed by Standard Webhooks with the `secret` that creating the endpoint answers. A new, moved or ' +
      'reactivated endpoint gets one at once. The same call again changes nothing.',
  })
  @ApiOkResponse({ type: PutWebhookEndpointResponse, description: 'The endpoint.' })
  @ApiProblems({
    'the url is no https URL, its host does not resolve, or it resolves to an address that is not public':
      invalid({ loc: ['body', 'url'], msg: 'url must be an https:// URL', type: 'value_error' }),
    'too many endpoints': invalid(TOO_MANY_ENDPOINTS),
  })
  put(
    @OrganizationId() organizationId: string,
    @Param() { id }: WebhookEndpointPath,
    @Body() body: PutWebhookEndpointRequest,
  ): Promise<PutWebhookEndpointResponse> {
    return this.endpoints.put(keyOf(organizationId, id), body);
  }

  @Get()
  @ApiOperation({ operationId: 'listWebhookEndpoints', summary: 'List webhook endpoints' })
  @ApiOkResponse({
    type: WebhookEndpointsResponse,
    description: 'All of them, in the order of their creation.',
  })
  async list(@OrganizationId() organizationId: string): Promise<WebhookEndpointsResponse> {
    return { items: await this.endpoints.list(organizationId) };
  }

  @Get(':id')
  @ApiOperation({ operationId: 'getWebhookEndpoint', summary: 'Read a webhook endpoint' })
  @ApiOkResponse({ type: WebhookEndpointResponse, description: 'The endpoint.' })
  @ApiEndpointProblems()
  find(
    @OrganizationId() organizationId: string,
    @Param() { id }: WebhookEndpointPath,
  ): Promise<WebhookEndpointResponse> {
    return this.endpoints.find(keyOf(organizationId, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteWebhookEndpoint', summary: 'Delete a webhook endpoint' })
  @ApiNoContentResponse({ description: 'It gets no more hints.' })
  @ApiEndpointProblems()
  delete(@OrganizationId() organizationId: string, @Param() { id }: WebhookEndpointPath): Promise<void> {
    return this.endpoints.delete(keyOf(organizationId, id));
  }

  @Post(':id/secret')
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @ApiOperation({
    operationId: 'rotateWebhookSecret',
    summary: 'Make a new secret',
    description: 'For 24 hours hints are signed with the new secret and with the one before.',
  })
  @ApiOkResponse({ type: WebhookSecretResponse, description: 'The new secret.' })
  @ApiEndpointProblems()
  rotateSecret(
    @OrganizationId() organizationId: string,
    @Param() { id }: WebhookEndpointPath,
  ): Promise<WebhookSecretResponse> {
    return this.endpoints.rotateSecret(keyOf(organizationId, id));
  }

  @Post(':id/test')
  @AtClientPace()
  @HttpCode(200)
  @ApiOperation({
    operationId: 'testWebhookEndpoint',
    summary: 'Send a hint now',
    description: 'Changes nothing of the endpoint. Answers within ten seconds.',
  })
  @ApiOkResponse({
    type: TestHintResponse,
    description: 'The `status` of its answer and `durationMs`, or an `error`.',
  })
  @ApiEndpointProblems()
  test(
    @OrganizationId() organizationId: string,
    @Param() { id }: WebhookEndpointPath,
    @Req() request: FastifyRequest,
  ): Promise<TestHintResponse> {
    return outsideWork(request, () => this.endpoints.test(keyOf(organizationId, id)));
  }
}

function keyOf(organizationId: string, id: string) {
  return { organizationId, id: id.toLowerCase() };
}

function invalid(item: InvalidItem): DescribedProblems[string] {
  return { code: 'invalid', items: [item] };
}

function ApiEndpointProblems(): MethodDecorator {
  return applyDecorators(
    ApiProblems({
      'there is no such endpoint': { code: 'resource_not_found', model: 'WebhookEndpoint', id: '' },
      'the id is no uuid': invalid({ loc: ['path', 'id'], msg: 'id must be a UUID', type: 'value_error' }),
    }),
  );
}
