export { HintsModule } from './hints.module';
export { MAX_ENDPOINTS, webhookEndpointEntity } from './webhook-endpoint.repository';
