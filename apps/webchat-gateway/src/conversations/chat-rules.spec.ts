import { causeOfActivity, causeOfMessage, type ActingAgent, type Cause } from './chat-rules';

const ANN = { accountId: 7, name: 'Ann' };

it.each<[string, ActingAgent | null, Cause, object | null]>([
  ['assign', ANN, 'agentTakes', { name: 'Ann' }],
  ['human_take_over', { accountId: 7 }, 'agentTakes', { name: null }],
  ['route_back_to_human', ANN, 'agentTakes', { name: 'Ann' }],
  ['route_back_to_human', null, 'routed', null],
  ['assign', { ...ANN, isServiceAccount: true }, 'routed', null],
  ['route_to_human', ANN, 'routed', null],
  ['route_to_ai', ANN, 'routed', null],
  ['route_back_to_ai', ANN, 'routed', null],
  ['end_conversation', ANN, 'ends', null],
  ['timed_out', null, 'ends', null],
  ['route_to_rating', ANN, 'askedToRate', null],
  ['note_added', ANN, 'noted', null],
  ['constructor', ANN, 'noted', null],
])('the activity %s of %j', (action, by, cause, agent) => {
  expect(causeOfActivity(action, by)).toEqual({ cause, agent });
});

it('only a message of the customer opens a conversation again', () => {
  expect(causeOfMessage('customer')).toBe('customerWrites');
  for (const sender of ['agent', 'bot', 'system'] as const) expect(causeOfMessage(sender)).toBe('noted');
});
