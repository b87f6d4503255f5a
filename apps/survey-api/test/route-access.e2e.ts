import { routesByAccess } from '@cxp/auth-headers';
import { controllersOf, type TestService } from '@cxp/service-kit/testing';
import { startSurvey } from './survey-service';

const PUBLIC_ROUTES = ['HealthController.live', 'HealthController.ready', 'MetricsController.metrics'];

describe('the routes of survey-api', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startSurvey();
  });
  afterAll(() => service.stop());

  it('each declare who may call, and only these are public', () => {
    const controllers = controllersOf(service);
    expect(controllers.map(({ name }) => name)).toContain('LinkController');
    expect(routesByAccess(controllers)).toEqual({ undeclared: [], public: PUBLIC_ROUTES });
  });
});
