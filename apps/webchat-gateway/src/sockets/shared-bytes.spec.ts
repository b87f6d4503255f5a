import { MAX_UNREAD_BYTES_IN_ALL } from '../chat-protocol/limits';
import { SharedBytes } from './shared-bytes';

const MIB = 1_024 * 1_024;
const LIMIT = MAX_UNREAD_BYTES_IN_ALL / MIB;

let unread: SharedBytes;
let cutOff: string[];
let sockets: Map<string, { cutOff(): void }>;

beforeEach(() => {
  unread = new SharedBytes(MAX_UNREAD_BYTES_IN_ALL);
  cutOff = [];
  sockets = new Map();
});

function set(name: string, mib: number): void {
  const socket = sockets.get(name) ?? { cutOff: () => cutOff.push(name) };
  sockets.set(name, socket);
  unread.set(socket, mib * MIB);
}

it('as much as fits may wait, for as many sockets as there are', () => {
  for (let i = 0; i < LIMIT; i++) set(`s${i}`, 1);
  for (let i = 0; i < LIMIT; i++) set(`s${i}`, 0.5);
  for (let i = 0; i < LIMIT; i++) set(`t${i}`, 0.5);
  set('s0', 0);
  set('u', 0.5);
  expect(cutOff).toEqual([]);
});

it('beyond it, sockets for which the most waits are cut off until half is free', () => {
  for (let i = 1; i <= 4; i++) set(`small${i}`, 4);
  set('larger', 12);
  set('largest', LIMIT / 2 + 4);
  set('last', 4);
  expect(cutOff).toEqual(['largest']);
  set('last', LIMIT / 2 + 8);
  expect(cutOff).toEqual(['largest', 'last']);
});
