export { HintsModule } from './hints.module';
export { webhookEndpointEntity } from './webhook-endpoint.repository';
