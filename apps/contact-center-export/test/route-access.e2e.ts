import { routesByAccess } from '@cxp/auth-headers';
import { controllersOf, type TestService } from '@cxp/service-kit/testing';
import { startContactCenter } from './contact-center-service';

const PUBLIC_ROUTES = ['HealthController.live', 'HealthController.ready', 'MetricsController.metrics'];

describe('the routes of contact-center-export', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startContactCenter();
  });
  afterAll(() => service.stop());

  it('each declare who may call, and only these are public', () => {
    const controllers = controllersOf(service);
    expect(controllers.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ConversationSessionController', 'RecordsController']),
    );
    expect(routesByAccess(controllers)).toEqual({ undeclared: [], public: PUBLIC_ROUTES });
  });
});
