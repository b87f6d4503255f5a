import '@cxp/service-kit/tracing';
import { runService } from '@cxp/service-kit';
import { surveyApi } from './service';

void runService(surveyApi);
