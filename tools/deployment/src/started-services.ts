import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { contactCenterExport } from '@cxp/contact-center-export/service';
import { startTestService, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { surveyApi } from '@cxp/survey-api/service';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { webchatGateway } from '@cxp/webchat-gateway/service';

/** The three services in this process, with all that they measure. */
export async function startServices(): Promise<TestService[]> {
  return [
    await startTestService(webchatGateway, webchatDatabase, {
      WEBCHAT_WEBSOCKET_URL: 'wss://webchat.test/websocket',
      WEBCHAT_SESSION_TOKEN_KEYS: 'current:0123456789abcdef0123456789abcdef',
    }),
    await startTestService(contactCenterExport, contactCenterDatabase, {
      DATABASE_READ_URL: 'postgres://127.0.0.1:1/away',
    }),
    await startTestService(surveyApi, surveyDatabase),
  ];
}
