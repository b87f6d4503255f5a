import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';

const SOURCE = /\.tsx?$/;
const TEST = /\.(spec|e2e|ci|affected|nightly)\.tsx?$/;
const RELATIVE_IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g;

/** By the path of an app's `src`: its folders, and those that each of them imports, types included. */
const folders = new Map();
const graphs = new Map();

/**
 * Within an app a folder imports what it stands on, and never what stands on it: `records → responses → campaigns`. Files of `src` itself
 * put the folders together, and may import all of them.
 */
export const noFolderCircles = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { circle: 'Folders import each other in a circle: {{circle}}' },
  },
  create(context) {
    const [, src] = /^(.*[/\\]apps[/\\][^/\\]+[/\\]src)[/\\]/.exec(context.filename) ?? [];
    const folder = src && folderOf(src, context.filename);
    if (!folder || TEST.test(context.filename)) return {};
    const check = ({ source }) => {
      if (!source || !String(source.value).startsWith('.')) return;
      const imported = folderOf(src, resolve(dirname(context.filename), String(source.value)));
      if (!imported || imported === folder) return;
      const way = wayBetween(graphOf(src), imported, folder);
      if (way) {
        const circle = [folder, ...way].join(' → ');
        context.report({ node: source, messageId: 'circle', data: { circle } });
      }
    };
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      ExportNamedDeclaration: check,
      ExportAllDeclaration: check,
    };
  },
};

function graphOf(src) {
  if (!graphs.has(src)) graphs.set(src, readGraph(src));
  return graphs.get(src);
}

function readGraph(src) {
  const graph = new Map();
  for (const entry of readdirSync(src, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !SOURCE.test(entry.name) || TEST.test(entry.name)) continue;
    const folder = folderOf(src, join(entry.parentPath, entry.name));
    if (!folder) continue;
    const known = graph.get(folder) ?? new Set();
    graph.set(folder, known);
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    for (const [, path] of text.matchAll(RELATIVE_IMPORT)) {
      const imported = folderOf(src, resolve(entry.parentPath, path));
      if (imported && imported !== folder) known.add(imported);
    }
  }
  return graph;
}

/** The folder of `src` that a file, or a folder with an index, is in; undefined for one of `src` itself. */
function folderOf(src, path) {
  const [first] = relative(src, path).split(sep);
  if (!folders.has(src)) {
    const entries = readdirSync(src, { withFileTypes: true });
    folders.set(src, new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)));
  }
  return folders.get(src).has(first) ? first : undefined;
}

/** The shortest way from one folder to another by imports, both included; undefined if there is none. */
function wayBetween(graph, from, to) {
  const ways = [[from]];
  const seen = new Set([from]);
  for (const way of ways) {
    const last = way.at(-1);
    if (last === to) return way;
    for (const next of graph.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
