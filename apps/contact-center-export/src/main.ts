import '@cxp/service-kit/tracing';
import { setFlagsFromString } from 'node:v8';
import { bootstrap } from '@cxp/service-kit';
import { AppModule } from './app.module';

// Streams copy a hundred megabytes a second, which V8 counts as its own: with room for a third more it would collect all its memory twelve
// times a second, which took half of the process's time. Room for as much again costs 25 MB.
setFlagsFromString('--heap-growing-percent=100');

void bootstrap(AppModule);
