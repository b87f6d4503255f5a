export { controllersOf } from './controllers-of';
export { eventually } from '@cxp/testing';
export { REAL_DEADLINE_MS, setDeadline, statusInTime } from './deadline';
export { startTestService, type TestService } from './test-service';
export { unlimited } from './unlimited';
export { issueTestToken, type Caller } from './caller';
