import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { externalImports } from './deployable-package';
import { writeLicenses } from './licenses';

/**
 * The files beside the entries that hold the packages that they import: those for tracing, which few starts read; the package of
 * class-validator with letters of all languages, because V8 keeps two bytes for each letter of a file that has one beyond Latin-1;
 * and all others. In this order: what the second one imports of the last is known when it is built.
 */
const VENDOR_FILES = ['vendor-tracing.js', 'vendor.js', 'vendor-validator.js'] as const;
const VALIDATOR = /^validator(\/|$)/;

function vendorFile(specifier: string): (typeof VENDOR_FILES)[number] {
  if (VALIDATOR.test(specifier)) return 'vendor-validator.js';
  return specifier.startsWith('@opentelemetry/') ? 'vendor-tracing.js' : 'vendor.js';
}

const REQUIRES = 'bundled-requires';

/** Packages that stay in node_modules: OpenTelemetry watches how they are required. */
const INSTALLED = /^(pg|ioredis)(\/|$)/;

/** What Nest loads of a package, and nothing of ours imports: with a copy of its own, inherited DTOs would have no transformations. */
const LOADED_BY_NEST: Readonly<Record<string, string>> = {
  'class-transformer': 'class-transformer/cjs/storage',
};

/**
 * Imports of packages are read from the vendor files, which `buildVendored` makes.
 * @param specifiers is given what is imported
 */
export function vendored(specifiers: Set<string>, filter = /^[@\w]/): Plugin {
  return {
    name: 'vendored-packages',
    setup(build) {
      build.onResolve({ filter }, ({ path, kind }) => {
        if (kind === 'entry-point' || path.startsWith('@cxp/') || isBuiltin(path)) return undefined;
        if (INSTALLED.test(path)) return { path, external: true };
        specifiers.add(path);
        return { path, namespace: 'vendored' };
      });
      build.onLoad({ filter: /.*/, namespace: 'vendored' }, ({ path }) => ({
        contents: `module.exports = require('./${vendorFile(path)}')(${JSON.stringify(path)});`,
        loader: 'js',
      }));
      build.onResolve({ filter: /^\.\/vendor/, namespace: 'vendored' }, ({ path }) => ({
        path,
        external: true,
      }));
    },
  };
}

/**
 * Bundles packages into a few files, which are read at a start much faster than thousands. Each package is evaluated on first use.
 * @returns what the files import of the packages that stay in node_modules
 */
export async function buildVendored(
  workspaceRoot: string,
  output: string,
  specifiers: Iterable<string>,
): Promise<string[]> {
  const all = new Set([...specifiers].flatMap((name) => [name, LOADED_BY_NEST[name] ?? []].flat()));
  const built: Metafile[] = [];
  for (const file of VENDOR_FILES) {
    const own = [...all].filter((specifier) => vendorFile(specifier) === file).sort();
    const others = file === 'vendor.js' ? [vendored(all, VALIDATOR)] : [];
    if (own.length > 0) built.push(await buildFile(workspaceRoot, join(output, file), own, others));
  }
  const inputs = built.flatMap((metafile) => Object.keys(metafile.inputs));
  await writeLicenses(workspaceRoot, join(output, 'licenses.txt'), inputs);
  return built.flatMap(externalImports).filter((path) => INSTALLED.test(path));
}

async function buildFile(
  workspaceRoot: string,
  outfile: string,
  specifiers: readonly string[],
  plugins: readonly Plugin[],
): Promise<Metafile> {
  const cases = specifiers.map((specifier) => {
    const name = JSON.stringify(specifier);
    return `${name}: () => require(${name}),`;
  });
  const { metafile } = await build({
    stdin: {
      contents: `const { packages } = require('${REQUIRES}');\nObject.assign(packages, {\n${cases.join('\n')}\n});\nmodule.exports = (name) => packages[name]();`,
      resolveDir: workspaceRoot,
    },
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'cjs',
    // Not `minifySyntax`, which drops names of classes, and not `keepNames`, which costs time whenever a function is created.
    minifyWhitespace: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    define: { 'import.meta.url': '__importMetaUrl' },
    banner: { js: `const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;` },
    plugins: [...plugins, bundledRequires(), installedOrMissing()],
  });
  return metafile;
}

/** Leaves to the run what stays in node_modules, and what is not installed: it is asked for by code that copes. */
function installedOrMissing(): Plugin {
  return {
    name: 'installed-or-missing',
    setup(build) {
      build.onResolve({ filter: /^[@\w]/ }, async ({ path, pluginData, ...options }) => {
        if (pluginData === 'resolving') return undefined;
        if (INSTALLED.test(path)) return { path, external: true };
        const { kind, importer, resolveDir } = options;
        const resolved = await build.resolve(path, { kind, importer, resolveDir, pluginData: 'resolving' });
        return resolved.errors.length > 0 ? { path, external: true } : resolved;
      });
    },
  };
}

/**
 * Nest loads some packages by `createRequire`, which a bundler does not follow: its modules are given one that knows what is bundled, and
 * asks Node.js for all else.
 */
function bundledRequires(): Plugin {
  return {
    name: 'bundled-requires',
    setup(build) {
      build.onResolve({ filter: /^(node:)?module$/ }, ({ importer }) =>
        /node_modules[/\\]@nestjs[/\\]/.test(importer) ? { path: REQUIRES, namespace: REQUIRES } : undefined,
      );
      build.onResolve({ filter: /^bundled-requires$/ }, () => ({ path: REQUIRES, namespace: REQUIRES }));
      build.onLoad({ filter: /.*/, namespace: REQUIRES }, () => ({
        contents: `
          const { createRequire } = process.getBuiltinModule('node:module');
          exports.packages = {};
          exports.createRequire = (from) => {
            const load = createRequire(from);
            return (name) => (exports.packages[name] ?? (() => load(name)))();
          };`,
        loader: 'js',
      }));
    },
  };
}
