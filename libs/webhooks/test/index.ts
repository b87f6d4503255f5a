export { type HintReceiver, startReceiver } from './hint-receiver';
export { describeWebhookEndpoints, type WebhookArea } from './webhook-endpoint-cases';
