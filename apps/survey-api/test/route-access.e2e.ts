import { routesByAccess } from '@cxp/auth-headers';
import { controllersOf, type TestService } from '@cxp/service-kit/testing';
import { startSurveyWithPages } from './survey-page';
import { startSurvey } from './survey-service';

const PUBLIC_ROUTES = ['HealthController.live', 'HealthController.ready', 'MetricsController.metrics'];
const PAGES = ['SurveyPageController.page', 'SurveyPageController.script', 'SurveyPageController.submit'];

describe('the routes of survey-api', () => {
  it.each<[when: string, start: () => Promise<TestService>, publicRoutes: string[]]>([
    ['without survey pages', startSurvey, PUBLIC_ROUTES],
    ['with survey pages', startSurveyWithPages, [...PUBLIC_ROUTES, ...PAGES]],
  ])('each declare who may call, and only these are public, %s', async (_, start, publicRoutes) => {
    const service = await start();
    const controllers = controllersOf(service);
    await service.stop();
    expect(controllers.map(({ name }) => name)).toContain('LinkController');
    expect(routesByAccess(controllers)).toEqual({ undeclared: [], public: publicRoutes });
  });
});
