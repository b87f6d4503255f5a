/** Bounds the nesting of arrays and objects. */
export const MAX_JSON_DEPTH = 64;

/** Bounds members of objects and elements of arrays, at any depth. */
export const MAX_JSON_VALUES = 20_000;

export interface JsonProblem {
  readonly msg: string;
  readonly type: 'json_invalid' | 'recursion_loop' | 'too_large';
}

/** `values` counts members and elements at any depth. */
export type ParsedJson =
  { readonly value: unknown; readonly values: number } | { readonly problem: JsonProblem };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Parses JSON of a client. One scan of the text checks the bounds before the parser allocates; all walks over the value rely on
 * them.
 * @param subject names the text in a problem
 */
export function parseJson(
  json: string | Uint8Array,
  subject: string,
  maxValues = MAX_JSON_VALUES,
): ParsedJson {
  try {
    const text = typeof json === 'string' ? json : utf8.decode(json);
    const scanned = scan(text, subject, maxValues);
    return 'problem' in scanned ? scanned : { value: JSON.parse(text) as unknown, ...scanned };
  } catch {
    return { problem: { msg: `${subject} must be valid JSON in UTF-8`, type: 'json_invalid' } };
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Also accepts text that is no JSON, which the parser then refuses. */
function scan(
  text: string,
  subject: string,
  maxValues: number,
): { readonly values: number } | { readonly problem: JsonProblem } {
  let depth = 0;
  let values = 0;
  /** True just after the start of an array or object. */
  let hasBegun = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code <= 0x20) continue;
    if (hasBegun && code !== CLOSE_BRACKET && code !== CLOSE_BRACE) values++;
    hasBegun = false;
    switch (code) {
      case QUOTE:
        i = endOfString(text, i + 1);
        break;
      case COMMA:
        values++;
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        hasBegun = true;
        if (++depth > MAX_JSON_DEPTH) {
          const msg = `${subject} must not be nested deeper than ${MAX_JSON_DEPTH} levels`;
          return { problem: { msg, type: 'recursion_loop' } };
        }
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
    }
    if (values > maxValues) {
      const msg = `${subject} must not hold more than ${maxValues} members and elements in all`;
      return { problem: { msg, type: 'too_large' } };
    }
  }
  return { values };
}

/** @returns the index of the closing quote, or the text's length without one */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return text.length;
}
