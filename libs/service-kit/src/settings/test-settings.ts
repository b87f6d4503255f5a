import { REQUEST_MS } from '@cxp/storage';
import { IntegerSetting } from './decorators';

/** Not for operators, so their list of settings does not have it. */
export class TestSettings {
  /** Milliseconds until a request is answered 503: tests on a busy machine need more. */
  @IntegerSetting(500, 60_000)
  CXP_TEST_DEADLINE_MS = REQUEST_MS;
}
