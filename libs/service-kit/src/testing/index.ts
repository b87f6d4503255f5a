export { controllersOf } from './controllers-of';
export { eventually } from './eventually';
export { startTestService, type TestService } from './test-service';
export { unlimited } from './unlimited';
export { issueTestToken, type Caller } from './caller';
