import { bootstrap } from '../src';
import { SampleModule } from './sample-service';

void bootstrap(SampleModule);
