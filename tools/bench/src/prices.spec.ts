import { CLIENT_FRAMES } from '@cxp/webchat-gateway/chat-protocol/client-frames';
import { KNOWN_ROUTES, routeName } from '@cxp/system-tests/known-routes';
import { pricedCalls } from './largest-calls';
import { SERVICES } from './services';
import { SOCKET_LOADS } from './socket-loads';

const ids = { conversationId: 'c', sessionId: 's', sessionToken: 't', publicId: 'p' };
const priced = pricedCalls(ids).map(({ area, route }) => `${SERVICES[area].name}: ${route}`);

it.each(KNOWN_ROUTES.map(routeName))('%s has a row in the table of prices (largest-calls.ts)', (route) => {
  expect(priced).toContain(route);
});

it.each(['opening a socket', ...Object.keys(CLIENT_FRAMES)])(
  '%s has a row in the table of prices (socket-loads.ts)',
  (name) => {
    expect(Object.keys(SOCKET_LOADS)).toContain(name);
  },
);
