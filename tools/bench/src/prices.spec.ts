import { CLIENT_FRAMES } from '@cxp/webchat-gateway/chat-protocol/client-frames';
import { KNOWN_ROUTES, routeName } from '@cxp/system-tests/known-routes';
import { pricedCalls } from './largest-calls';
import { FRAMES } from './prices';
import { SERVICES } from './services';

const ids = { conversationId: 'c', sessionId: 's', sessionToken: 't', publicId: 'p' };
const priced = pricedCalls(ids).map(({ area, route }) => `${SERVICES[area].name}: ${route}`);

it.each(KNOWN_ROUTES.map(routeName))('%s has a row in the table of prices (largest-calls.ts)', (route) => {
  expect(priced).toContain(route);
});

it.each(Object.keys(CLIENT_FRAMES))('the frame %s has a row in the table of prices (prices.ts)', (frame) => {
  expect(Object.keys(FRAMES)).toContain(frame);
});
