import { routesByAccess } from '@cxp/auth-headers';
import { controllersOf, type TestService } from '@cxp/service-kit/testing';
import { startWebchat } from './webchat-service';

const PUBLIC_ROUTES = [
  'AsyncApiController.answer',
  'HealthController.live',
  'HealthController.ready',
  'HistoryController.preflight',
  'MetricsController.metrics',
];

describe('the routes of webchat-gateway', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startWebchat();
  });
  afterAll(() => service.stop());

  it('each declare who may call, and only these are public', () => {
    const controllers = controllersOf(service);
    expect(controllers.map(({ name }) => name)).toContain('SessionController');
    expect(routesByAccess(controllers)).toEqual({ undeclared: [], public: PUBLIC_ROUTES });
  });
});
