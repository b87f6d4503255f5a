export { eventually } from '@cxp/testing';
export {
  controllersOf,
  issueTestToken,
  REAL_DEADLINE_MS,
  setDeadline,
  startTestService,
  statusInTime,
  unlimited,
  type Caller,
  type TestService,
} from './test-service';
