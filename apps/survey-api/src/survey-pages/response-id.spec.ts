import { newResponseId, openedAt, responseIdOf } from './submission.service';

const DAY_MS = 86_400_000;
const ANSWERED = new Date('2026-11-20T08:15:30.123Z');
const after = (ms: number) => openedAt(newResponseId(Number(ANSWERED) - ms), ANSWERED).toISOString();

it('is a UUIDv7 of its own', () => {
  const ids = Array.from({ length: 1_000 }, () => newResponseId());
  expect(new Set(ids).size).toBe(1_000);
  for (const id of ids)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

it.each([
  ['now', 0, '2026-11-20T08:15:30.123Z'],
  ['a minute ago', 60_000, '2026-11-20T08:14:30.123Z'],
  ['seven days ago', 7 * DAY_MS, '2026-11-13T08:15:30.123Z'],
  ['earlier', 7 * DAY_MS + 1, '2026-11-20T08:15:30.123Z'],
  ['in the future', -1, '2026-11-20T08:15:30.123Z'],
])('of a page that was opened %s', (_, ms, opened) => {
  expect(after(ms)).toBe(opened);
});

it('is taken as it is sent, in lower case', () => {
  const id = newResponseId();
  expect(responseIdOf(id.toUpperCase())).toBe(id);
});

it.each([
  undefined,
  '',
  'x',
  '3f0c7d52-9c2e-4b0a-8d3b-0a1b2c3d4e5f',
  `${newResponseId()} `,
  `${newResponseId()},1`,
])('is a new one instead of %s', (sent) => {
  expect(responseIdOf(sent)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  expect(responseIdOf(sent)).not.toBe(sent);
});
