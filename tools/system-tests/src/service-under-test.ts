import { STATUS_CODES } from 'node:http';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import type { AppModuleClass, ServiceSettings } from '@cxp/service-kit';
import { startTestService, type TestService, unlimited } from '@cxp/service-kit/testing';
import type { DatabaseSchema } from '@cxp/storage';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { startService, type ServiceProcess } from '@cxp/testing/local-servers';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { AppModule as WebchatModule } from '@cxp/webchat-gateway/app.module';
import * as services from '@cxp/areas/services';

/** A service as its build makes it, and how its area words what every endpoint of it can answer. */
export interface ServiceUnderTest {
  /** The name of the app. */
  readonly name: string;
  readonly area: DatabaseSchema;
  readonly portVariable: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly unauthorized: object;
  readonly permissionMissing: { readonly status: number; readonly body: object };
  readonly unavailable: object;
  /** The answer to a request that can't be read. */
  readonly unreadable: (status: number) => object;
  /** The same service in this process, over databases of its own that a built one can share. */
  readonly startInProcess: (settings?: Readonly<Record<string, string>>) => Promise<TestService>;
}

/** The error responses of every path below `/internal`, which are the same in every area. */
export const INTERNAL_WORDING = {
  unauthorized: { detail: 'Invalid or missing token' },
  permissionMissing: { status: 403, body: { detail: 'Permission denied' } },
  unavailable: { detail: 'Service Unavailable' },
};

export const SESSION_TOKEN_SECRET = 'session-token-secret-0123456789abcdef';
export const ACCOUNT_SESSION_SECRET = 'account-session-secret-0123456789abcdef';

/** Of webchat-gateway and contact-center-export. */
const SERVICE_TOKEN_KEYS = 'current:service-token-secret-0123456789abcdef';

const WEBHOOK_SECRET_KEY = 'webhook-secret-key-0123456789abcdef';

const WEBHOOKS = {
  WEBHOOK_SECRET_KEYS: `current:${WEBHOOK_SECRET_KEY}`,
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
};

export const webchat = underTest(services.webchat, WebchatModule, webchatDatabase, {
  settings: {
    WEBCHAT_WEBSOCKET_URL: 'wss://webchat.test/sessions',
    WEBCHAT_SESSION_TOKEN_KEYS: `current:${SESSION_TOKEN_SECRET}`,
    SERVICE_TOKEN_KEYS,
  },
  unauthorized: { message: 'Unauthorized', statusCode: 401 },
  permissionMissing: { status: 401, body: { message: 'Unauthorized', statusCode: 401 } },
  unavailable: { message: 'Service Unavailable', statusCode: 503 },
  unreadable: (statusCode) => ({ message: STATUS_CODES[statusCode], statusCode }),
});

export const contactCenter = underTest(services.contactCenter, ContactCenterModule, contactCenterDatabase, {
  settings: {
    ACCOUNT_SESSION_SECRET,
    ...WEBHOOKS,
    SERVICE_TOKEN_KEYS,
  },
  unauthorized: { detail: { message: 'Unauthorized' } },
  permissionMissing: { status: 401, body: { detail: { message: 'Unauthorized' } } },
  unavailable: { detail: 'Service Unavailable' },
  unreadable: (status) => ({ detail: STATUS_CODES[status] }),
});

export const survey = underTest(services.survey, SurveyModule, surveyDatabase, {
  settings: {
    SURVEY_LINKS_PER_CAMPAIGN: '1000000',
    ...WEBHOOKS,
    SURVEY_PUBLIC_URL: 'https://s.example.com',
  },
  unauthorized: INTERNAL_WORDING.unauthorized,
  permissionMissing: INTERNAL_WORDING.permissionMissing,
  unavailable: INTERNAL_WORDING.unavailable,
  unreadable: (status) => ({ detail: STATUS_CODES[status] }),
});

export const SERVICES = [webchat, contactCenter, survey];

/**
 * Starts a service from its build, as a process of its own: `nx build` has to have made it.
 * @param entry another program in its place
 * @param waitUntil it is ready, only answers, or has only been started
 */
export function startBuilt(
  { name, portVariable, settings }: ServiceUnderTest,
  environment: Readonly<Record<string, string>>,
  entry = `dist/apps/${name}/main.js`,
  waitUntil?: 'ready' | 'alive' | 'started',
): Promise<ServiceProcess> {
  return startService({
    entry,
    portVariable,
    waitUntil,
    env: {
      LISTEN_HOST: '127.0.0.1',
      ...settings,
      ...environment,
    },
  });
}

function underTest<Settings extends ServiceSettings>(
  { app, portVariable }: services.Service,
  appModule: AppModuleClass<Settings>,
  area: DatabaseSchema,
  rest: Omit<ServiceUnderTest, 'name' | 'portVariable' | 'area' | 'startInProcess'>,
): ServiceUnderTest {
  return {
    ...rest,
    settings: { ...unlimited(appModule.settings), ...rest.settings },
    name: app,
    portVariable,
    area,
    startInProcess: (settings) => startTestService(appModule, area, { ...rest.settings, ...settings }),
  };
}
