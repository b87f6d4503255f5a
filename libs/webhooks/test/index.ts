export { type HintReceiver, accept, startReceiver } from './hint-receiver';
export { describeWebhookEndpoints, type WebhookArea } from './webhook-endpoint-cases';
