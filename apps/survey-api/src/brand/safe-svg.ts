import { XMLParser, XMLValidator } from 'fast-xml-parser';

/** What draws. Nothing that runs, links, loads, animates, or repeats other elements: repetitions of repetitions freeze a browser. */
const ELEMENTS = new Set(
  (
    'svg g defs title desc style path rect circle ellipse line polyline polygon text tspan ' +
    'linearGradient radialGradient stop clipPath mask'
  ).split(' '),
);

const NAMESPACES = ' xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';
const REFERENCE = /^(xlink:)?href$/;
/** Names with a prefix are those of an editor. */
const OWN_NAME = /^[a-z][\w-]*$/i;
/** What may lead out of the file, or hide that it does. */
const ELSEWHERE = /\\|@|&#|url\s*\((?!\s*["']?#)/i;

const NOT_WELL_FORMED = 'Input should be a well-formed SVG file in UTF-8 without entities of its own';

/** As the parser gives it in the order of the document: one name with its children, `:@` with the attributes. */
type XmlNode = Readonly<Record<string, unknown>>;

const parser = new XMLParser({
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  processEntities: false,
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
});
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * The picture of an SVG file, written anew from the elements that a logo may have. What editors of pictures leave (comments, metadata, and all
 * that has a prefix) is left out.
 */
export function safeSvg(bytes: Buffer): { text: string } | { problem: string } {
  try {
    const source = utf8.decode(bytes);
    if (XMLValidator.validate(source) !== true) return { problem: NOT_WELL_FORMED };
    const roots = (parser.parse(source) as XmlNode[]).filter((node) => !('#text' in node));
    const [root] = roots;
    if (roots.length !== 1 || !root || !('svg' in root)) return { problem: 'Input should be an <svg>' };
    return { text: written(root) };
  } catch (error) {
    return { problem: error instanceof Refusal ? error.message : NOT_WELL_FORMED };
  }
}

class Refusal extends Error {}

/** @param parent none: the root */
function written(node: XmlNode, parent?: string): string {
  if ('#text' in node) return textOf(String(node['#text']), parent);
  const { ':@': attributes = {}, ...named } = node;
  const [[name, children]] = Object.entries(named) as [[string, readonly XmlNode[]]];
  if (name === 'metadata' || name.includes(':')) return '';
  if (!ELEMENTS.has(name)) throw new Refusal(`An SVG logo must not have <${name.slice(0, 50)}>`);
  const own = Object.entries(attributes as Record<string, string>).map((entry) => attributeOf(...entry));
  const content = children.map((child) => written(child, name)).join('');
  return `<${name}${parent === undefined ? NAMESPACES : ''}${own.join('')}>${content}</${name}>`;
}

function attributeOf(name: string, value: string): string {
  const isReference = REFERENCE.test(name);
  if (name === 'xmlns' || !(isReference || OWN_NAME.test(name))) return '';
  const isForeign = isReference ? !value.startsWith('#') : ELSEWHERE.test(value);
  if (isForeign || /^on/i.test(name))
    throw new Refusal(`An SVG logo must not have this ${name.slice(0, 50)}`);
  return ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`;
}

function textOf(text: string, parent: string | undefined): string {
  if (parent === 'style' && ELSEWHERE.test(text)) throw new Refusal('An SVG logo must not have this <style>');
  return escaped(text);
}

/** The parser leaves entities as they are. */
function escaped(text: string): string {
  if (/&(?!(amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-f]{1,6});)/i.test(text)) throw new Refusal(NOT_WELL_FORMED);
  return text.replaceAll('<', '&lt;');
}
