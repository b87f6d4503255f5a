import fc from 'fast-check';
import { seed } from '../random';

// Without a seed of its own, a property repeats the same run, unless CXP_TEST_SEED is set.
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });
