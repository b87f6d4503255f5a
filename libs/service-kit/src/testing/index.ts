export { eventually } from '@cxp/testing';
export {
  controllersOf,
  issueTestToken,
  REAL_DEADLINE_MS,
  startTestService,
  statusInTime,
  unlimited,
  type Caller,
  type TestService,
} from './test-service';
