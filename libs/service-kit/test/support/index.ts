export { controllersOf } from './controllers-of';
export { startTestService, type TestService } from './test-service';
export { issueTestToken, type Caller } from './caller';
