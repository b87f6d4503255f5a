import { describeWebhookEndpoints } from '@cxp/webhooks/testing';
import { startContactCenter, UNAUTHORIZED } from './contact-center-service';

describeWebhookEndpoints({
  start: startContactCenter,
  schema: 'contact_center',
  unauthorized: UNAUTHORIZED,
  forbidden: { status: 401, body: UNAUTHORIZED },
  notFound: (id) => ({ detail: { message: `WebhookEndpoint with id ${id} was not found` } }),
});
