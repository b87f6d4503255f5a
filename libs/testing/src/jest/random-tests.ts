import fc from 'fast-check';
import { seed } from '../random';

// The seed of properties that have none of their own: each run is the same, unless CXP_TEST_SEED is set.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
