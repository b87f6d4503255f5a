import fc, { type Arbitrary } from 'fast-check';
import { METHODS } from 'node:http';
import type { HttpRequest } from '../src/http';
import type { KnownRoute, UnsignedRequest } from '../src/known-routes';

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  '\ud800',
  'a\udc00',
  '\u202e',
  '%',
  '%00',
  '%zz',
  '..',
  '../..',
  '__proto__',
  'constructor',
  "' OR 1=1 --",
  '<script>',
  '${7*7}',
  'null',
  'true',
  'NaN',
  '1e999',
  '-0',
  '0x10',
  '2026-02-30',
  '2026-01-05',
  '9'.repeat(30),
  '-9223372036854775809',
  '2147483648',
  'x'.repeat(3_000),
  '👩‍👩‍👧'.repeat(100),
  '=1+1',
  'a,b,,c',
];

/** Text as clients don't send it by mistake only: NUL, half a surrogate pair, controls, markup, paths, SQL, long ones. */
const hostileText: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({
    unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
    maxLength: 10,
  }),
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.uuid(),
);

const hostileNumber: Arbitrary<number> = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, -1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 5e-324),
  fc.integer(),
);

const { hostileValue } = fc.letrec<{ hostileValue: unknown }>((tie) => ({
  hostileValue: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(null, true, false),
    hostileText,
    hostileNumber,
    fc.array(tie('hostileValue'), { maxLength: 4 }),
    fc.dictionary(hostileText, tie('hostileValue'), { maxKeys: 4 }),
  ),
}));

/** Calls of a route that are hardly ever right, but right enough to get far. */
export function hostileRequest(
  { method, path: template }: KnownRoute,
  sound: UnsignedRequest,
  headers: Readonly<Record<string, string>>,
  parameters: readonly string[],
): Arbitrary<HttpRequest> {
  return fc
    .record({
      method: mostly(method, fc.constantFrom(...METHODS.filter((name) => name !== 'CONNECT'))),
      path: hostilePath(template, sound.path, parameters),
      signature: mostly(headers, hostileSignature(headers)),
      extra: mostly({}, hostileHeaders),
      contentType: mostly(sound.contentType, headerValue),
      body: sound.body === undefined ? mostly(undefined, hostileBody('{}')) : hostileBody(sound.body || '{}'),
    })
    .map(({ method, path, signature, extra, contentType, body }) => ({
      method,
      path,
      headers: { ...extra, ...signature, ...(contentType !== undefined && { 'content-type': contentType }) },
      body,
    }));
}

function hostilePath(template: string, sound: string, parameters: readonly string[]): Arbitrary<string> {
  const [soundPath = '', soundQuery = ''] = sound.split('?');
  const segment = fc.oneof(
    encodedText,
    fc.constantFrom('%', '%zz', '%ff', '%00', '%c0%af', '..', '.', '%2e%2e%2f', '*', ':', 'x'.repeat(2_000)),
  );
  const path = fc
    .array(segment, { minLength: 3, maxLength: 3 })
    .map((segments) => template.replace(/\{\w+\}/g, () => segments.pop()!));
  const name = fc.oneof(
    ...(parameters.length > 0 ? [{ weight: 5, arbitrary: fc.constantFrom(...parameters) }] : []),
    { weight: 1, arbitrary: encodedText },
  );
  const pair = fc
    .tuple(name, fc.constantFrom('', '[]', '[a]', '[0][b]'), fc.constantFrom('=', '', '=='), encodedText)
    .map((parts) => parts.join(''));
  const query = fc
    .tuple(mostly(soundQuery, fc.constant('')), fc.array(pair, { maxLength: 4 }))
    .map(([start, pairs]) => [start, ...pairs].filter((part) => part !== '').join('&'));
  return fc
    .tuple(mostly(soundPath, path), query, mostly('', fc.constantFrom('/', '//', ';', '#', '%20')))
    .map(([start, rest, end]) => `${start}${end}${rest && `?${rest}`}`);
}

/** What `encodeURIComponent` makes of a text, or, where it refuses, of its bytes. */
const encodedText: Arbitrary<string> = hostileText.map((text) =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : [...Buffer.from(text, 'utf16le')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
);

/** Any value that Node.js accepts for a header. */
const headerValue: Arbitrary<string> = hostileText.map((text) =>
  text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?'),
);

const hostileHeaders: Arbitrary<Record<string, string>> = fc.dictionary(
  fc.constantFrom(
    'accept',
    'accept-encoding',
    'x-request-id',
    'x-forwarded-for',
    'range',
    'cookie',
    'if-match',
    'x',
  ),
  headerValue,
  { maxKeys: 3 },
);

function hostileSignature(headers: Readonly<Record<string, string>>): Arbitrary<Record<string, string>> {
  return fc
    .tuple(fc.constantFrom(...Object.keys(headers)), headerValue)
    .map(([name, value]) => ({ ...headers, [name]: value }));
}

/** A sound body with something hostile in it, in place of it, or around it. */
function hostileBody(sound: string): Arbitrary<string | Buffer> {
  const body = JSON.parse(sound) as Record<string, unknown>;
  const paths = pathsOf(body);
  return fc.oneof(
    fc
      .tuple(fc.constantFrom([], ...paths), hostileValue)
      .map(([path, value]) => JSON.stringify(replaced(body, path, value)) ?? ''),
    fc.tuple(hostileText, hostileValue).map(([name, value]) => JSON.stringify({ ...body, [name]: value })),
    fc
      .tuple(fc.constantFrom('[', '{"a":', '[{"a":'), fc.integer({ min: 1, max: 20_000 }))
      .map(([opening, depth]) => opening.repeat(depth)),
    fc.integer({ min: 1, max: 5_000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
    fc.constantFrom('', 'null', '{', '"', '\ufeff{}', '{"a":1,"a":2}', '[1e999]', '{"__proto__":{"a":1}}'),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );
}

function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [[...path, key], ...pathsOf(item, [...path, key])]);
}

function replaced(value: unknown, [step, ...rest]: readonly string[], by: unknown): unknown {
  if (step === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[step] = replaced(copy[step], rest, by);
  return copy;
}

function mostly<Usual>(usual: Usual, hostile: Arbitrary<Usual>): Arbitrary<Usual> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: hostile });
}
