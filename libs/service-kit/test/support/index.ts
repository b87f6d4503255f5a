export { startTestService, type TestService } from './test-service';
export { issueTestToken, type Caller } from './caller';
