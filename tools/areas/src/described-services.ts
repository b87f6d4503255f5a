import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import { describeService, type AppModuleClass, type ServiceSettings } from '@cxp/service-kit';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { AppModule as WebchatModule } from '@cxp/webchat-gateway/app.module';
import { contactCenter, survey, webchat, type Service } from './services';

/** A service with its code, and how it describes itself without running. */
export interface DescribedService extends Service {
  readonly settings: new () => ServiceSettings;
  readonly describe: () => Promise<OpenAPIObject>;
}

export const describedServices: readonly DescribedService[] = [
  described(webchat, WebchatModule),
  described(contactCenter, ContactCenterModule),
  described(survey, SurveyModule),
];

function described<Settings extends ServiceSettings>(
  service: Service,
  appModule: AppModuleClass<Settings>,
): DescribedService {
  return { ...service, settings: appModule.settings, describe: () => describeService(appModule) };
}
