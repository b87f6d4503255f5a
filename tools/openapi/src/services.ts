import type { OpenAPIObject } from '@nestjs/swagger';
import { contactCenterExport } from '@cxp/contact-center-export/service';
import { describeService, type ServiceDefinition, type ServiceSettings } from '@cxp/service-kit';
import { surveyApi } from '@cxp/survey-api/service';
import { webchatGateway } from '@cxp/webchat-gateway/service';

/** A service of the workspace, and what can be told about it without running it. */
export interface DescribedService {
  /** The Nx project. */
  readonly app: string;
  readonly settings: new () => ServiceSettings;
  readonly describe: () => Promise<OpenAPIObject>;
}

export const services: readonly DescribedService[] = [
  described(webchatGateway),
  described(contactCenterExport),
  described(surveyApi),
];

function described<Settings extends ServiceSettings>(service: ServiceDefinition<Settings>): DescribedService {
  return { app: service.name, settings: service.settings, describe: () => describeService(service) };
}
