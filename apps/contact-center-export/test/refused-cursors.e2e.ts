import { describeRefusedCursors } from '@cxp/change-feed/testing';
import { sessionFeed } from '../src/conversation-session-changes/session-change-feed';
import { startContactCenter } from './contact-center-service';

describeRefusedCursors({
  start: startContactCenter,
  path: '/external/conversation-session-changes',
  feed: sessionFeed,
});
