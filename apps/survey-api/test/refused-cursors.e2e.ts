import { describeRefusedCursors } from '@cxp/change-feed/testing';
import { RESPONSE_FEED } from '../src/responses/response-fields';
import { startSurvey } from './survey-service';

describeRefusedCursors({
  start: startSurvey,
  path: '/external/survey-response-changes',
  feed: RESPONSE_FEED,
});
