import '@cxp/service-kit/tracing';
import { bootstrap } from '@cxp/service-kit';
import { AppModule } from './app.module';

void bootstrap(AppModule);
