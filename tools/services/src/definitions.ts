import type { OpenAPIObject } from '@nestjs/swagger';
import { contactCenterExport } from '@cxp/contact-center-export/service';
import { describeService, type ServiceDefinition, type ServiceSettings } from '@cxp/service-kit';
import { surveyApi } from '@cxp/survey-api/service';
import { webchatGateway } from '@cxp/webchat-gateway/service';
import { contactCenter, survey, webchat, type Service } from './services';

/** A service with its code, and how it describes itself without running. */
export interface DescribedService extends Service {
  readonly settings: new () => ServiceSettings;
  readonly describe: () => Promise<OpenAPIObject>;
}

export const describedServices: readonly DescribedService[] = [
  described(webchat, webchatGateway),
  described(contactCenter, contactCenterExport),
  described(survey, surveyApi),
];

function described<Settings extends ServiceSettings>(
  service: Service,
  definition: ServiceDefinition<Settings>,
): DescribedService {
  return { ...service, settings: definition.settings, describe: () => describeService(definition) };
}
