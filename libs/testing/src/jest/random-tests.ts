import fc from 'fast-check';
import { seed } from '../random';

// Properties that give no seed of their own take this one: a run is the same as the last one, unless CXP_TEST_SEED says otherwise.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
