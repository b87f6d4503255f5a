export { type HintReceiver, accept, startReceiver } from './hint-receiver';
export { describeWebhookEndpoints, type WebhookService } from './webhook-endpoint-cases';
