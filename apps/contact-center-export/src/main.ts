import '@cxp/service-kit/tracing';
import { runService } from '@cxp/service-kit';
import { contactCenterExport } from './service';

void runService(contactCenterExport);
