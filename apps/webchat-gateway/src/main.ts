import '@cxp/service-kit/tracing';
import { runService } from '@cxp/service-kit';
import { webchatGateway } from './service';

void runService(webchatGateway);
