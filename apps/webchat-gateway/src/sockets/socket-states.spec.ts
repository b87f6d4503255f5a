import { CLOSING_EVENTS, SOCKET_STATES, TRANSITIONS, type ClosingEvent } from './socket-states';

const CLOSING = [...(Object.keys(CLOSING_EVENTS) as ClosingEvent[]), 'disconnects' as const];

it.each(CLOSING)('a socket that %s is closing, whatever its state', (event) => {
  expect(SOCKET_STATES.map((state) => TRANSITIONS[state][event])).toEqual(SOCKET_STATES.map(() => 'closing'));
});

it('a socket that is closing stays so', () => {
  expect(new Set(Object.values(TRANSITIONS.closing))).toEqual(new Set(['closing']));
});

it('a socket is warned once, when it is open, and again after a renewal', () => {
  expect(TRANSITIONS.entering.nearsExpiry).toBe('entering');
  expect(TRANSITIONS.open.nearsExpiry).toBe('warned');
  expect(TRANSITIONS.warned.nearsExpiry).toBe('warned');
  expect(TRANSITIONS.warned.isRenewed).toBe('open');
});
