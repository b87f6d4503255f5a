export { controllersOf } from './controllers-of';
export { eventually } from '@cxp/testing';
export { REAL_DEADLINE_MS, setDeadline } from './set-deadline';
export { statusInTime } from './in-time';
export { startTestService, type TestService } from './test-service';
export { unlimited } from './unlimited';
export { issueTestToken, type Caller } from './caller';
