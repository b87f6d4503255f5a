/** Arrays and objects that JSON from a client may nest inside each other. */
export const MAX_JSON_DEPTH = 64;

const STRUCTURE = /["[\]{}]/g;
const STRING_END = /["\\]/g;

/**
 * Whether a JSON text nests arrays and objects deeper than `MAX_JSON_DEPTH`. Every text of a client (body, record, frame) is
 * checked with it before it is parsed: validators and walks over the parsed value are recursive, and a nesting of a few
 * kilobytes exhausts the stack. The check itself is a scan. It also answers for text that is not JSON, which the parser then
 * refuses.
 */
export function isNestedTooDeeply(json: string): boolean {
  return hasMoreContainersThan(MAX_JSON_DEPTH, json) && maxDepthExceeds(MAX_JSON_DEPTH, json);
}

/** Most texts hold few containers: counting them with `indexOf` costs a tenth of parsing, matching them as much as parsing. */
function hasMoreContainersThan(limit: number, json: string): boolean {
  let count = 0;
  for (const start of ['{', '[']) {
    for (let i = json.indexOf(start); i !== -1; i = json.indexOf(start, i + 1)) {
      if (++count > limit) return true;
    }
  }
  return false;
}

function maxDepthExceeds(limit: number, json: string): boolean {
  let depth = 0;
  STRUCTURE.lastIndex = 0;
  while (STRUCTURE.test(json)) {
    switch (json[STRUCTURE.lastIndex - 1]) {
      case '"':
        STRUCTURE.lastIndex = endOfString(json, STRUCTURE.lastIndex);
        break;
      case '[':
      case '{':
        if (++depth > limit) return true;
        break;
      default:
        depth--;
    }
  }
  return false;
}

/**
 * Arrays, objects and members that JSON from a client may hold: each takes tens of bytes of memory, and as few as three in the
 * text. The largest legal body of the API, 500 links of 200 metadata values, holds 400,000.
 */
export const MAX_JSON_PARTS = 500_000;

const PARTS = /["[{:]/g;

/** Whether a JSON text would take far more memory than its length shows. Checked, as the depth, before it is parsed. */
export function hasTooManyParts(json: string): boolean {
  if (json.length <= MAX_JSON_PARTS) return false;
  let parts = 0;
  PARTS.lastIndex = 0;
  while (PARTS.test(json)) {
    const index = PARTS.lastIndex - 1;
    if (json[index] === '"') PARTS.lastIndex = endOfString(json, index + 1);
    else if (++parts > MAX_JSON_PARTS) return true;
  }
  return false;
}

/** @returns the index after the string's closing quote, or the text's length if it has none */
function endOfString(json: string, start: number): number {
  STRING_END.lastIndex = start;
  while (STRING_END.test(json)) {
    if (json[STRING_END.lastIndex - 1] === '"') return STRING_END.lastIndex;
    STRING_END.lastIndex++; // the character that is escaped
  }
  return json.length;
}
