import '@cxp/service-kit/tracing';
import { setFlagsFromString } from 'node:v8';
import { bootstrap } from '@cxp/service-kit';
import { AppModule } from './app.module';

// Streams copy 100 MB a second, which V8 counts as heap growth: at the default growth, garbage collection took half of the
// processor time. This costs 25 MB of memory.
setFlagsFromString('--heap-growing-percent=100');

void bootstrap(AppModule);
