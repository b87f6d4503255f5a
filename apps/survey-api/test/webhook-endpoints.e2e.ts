import { describeWebhookEndpoints } from '@cxp/webhooks/testing';
import { FORBIDDEN, startSurvey, UNAUTHORIZED } from './survey-service';

describeWebhookEndpoints({
  start: startSurvey,
  schema: 'survey',
  unauthorized: UNAUTHORIZED,
  forbidden: { status: 403, body: FORBIDDEN },
  notFound: () => ({ detail: { message: 'not_found', params: { model: 'WebhookEndpoint' } } }),
});
