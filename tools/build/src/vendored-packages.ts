import { readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { externalImports } from './deployable-package';
import { writeLicenses } from './licenses';

/** The files beside the entries that hold the packages that they import: those for tracing, which few starts read, and all others. */
const VENDOR_FILES = ['vendor.js', 'vendor-tracing.js'] as const;

function vendorFile(specifier: string): (typeof VENDOR_FILES)[number] {
  return specifier.startsWith('@opentelemetry/') ? 'vendor-tracing.js' : 'vendor.js';
}

/** Packages that stay in node_modules: OpenTelemetry watches how they are required. */
const INSTALLED = /^(pg|ioredis)(\/|$)/;

/** Nest's ES modules load packages by `createRequire`, which a bundler does not follow. */
const CREATE_REQUIRE = [
  [/const require = createRequire\(import\.meta\.url\);/g, ''],
  [/createRequire\(import\.meta\.url\)\(/g, 'require('],
] as const;

/**
 * For the build of the entries: imports of packages are read from the vendor files, which `buildVendored` makes.
 * @param specifiers is given what is imported
 */
export function vendored(specifiers: Set<string>): Plugin {
  return {
    name: 'vendored-packages',
    setup(build) {
      build.onResolve({ filter: /^[@\w]/ }, ({ path, kind }) => {
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
  const all = [...specifiers].sort();
  const built = await Promise.all(
    VENDOR_FILES.flatMap((file) => {
      const own = all.filter((specifier) => vendorFile(specifier) === file);
      return own.length > 0 ? buildFile(workspaceRoot, join(output, file), own) : [];
    }),
  );
  const inputs = built.flatMap((metafile) => Object.keys(metafile.inputs));
  await writeLicenses(workspaceRoot, join(output, 'licenses.txt'), inputs);
  return built.flatMap(externalImports).filter((path) => INSTALLED.test(path));
}

async function buildFile(
  workspaceRoot: string,
  outfile: string,
  specifiers: readonly string[],
): Promise<Metafile> {
  const cases = specifiers.map((specifier) => {
    const name = JSON.stringify(specifier);
    return `${name}: () => require(${name}),`;
  });
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `const packages = {\n${cases.join('\n')}\n};\nmodule.exports = (name) => packages[name]();`,
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
    write: false,
    logLevel: 'error',
    define: { 'import.meta.url': '__importMetaUrl' },
    banner: { js: `const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;` },
    plugins: [installedOrMissing(), nestRequires()],
  });
  await writeFile(outfile, inAscii(outputFiles[0]!.text));
  return metafile;
}

/** One character beyond Latin-1 makes V8 keep the whole text, which is never freed, with two bytes a character. esbuild leaves them in regular expressions. */
function inAscii(code: string): string {
  return code.replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
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

function nestRequires(): Plugin {
  return {
    name: 'nest-requires',
    setup(build) {
      build.onLoad({ filter: /node_modules[/\\]@nestjs[/\\].*\.js$/ }, async ({ path }) => ({
        contents: CREATE_REQUIRE.reduce(
          (source, [pattern, replacement]) => source.replace(pattern, replacement),
          await readFile(path, 'utf8'),
        ),
        loader: 'js',
      }));
    },
  };
}
