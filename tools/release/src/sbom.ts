import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';

/**
 * Writes what is in an image as CycloneDX: the packages of production of the lock file, with their hashes and licences.
 * @param image its name, with a tag
 * @returns the file, in `dist/images`
 */
export function writeSbom(image: string): string {
  const [, name, version] = /([^/:]+):([^:]+)$/.exec(image)!;
  const directory = mkdtempSync(join(tmpdir(), 'cxp-sbom-'));
  // npm takes the name of the folder.
  const folder = join(directory, name!);
  mkdirSync(folder);
  // Not `npm sbom --omit=dev`: that leaves out what a development dependency needs, too, for instance pg.
  const workspace = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as object;
  const manifest = { ...workspace, name, version, devDependencies: {}, optionalDependencies: {} };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  copyFileSync(join(workspaceRoot, 'package-lock.json'), join(folder, 'package-lock.json'));
  const npm = (...parameters: string[]) =>
    execFileSync('npm', [...parameters, '--package-lock-only', '--loglevel=error'], { cwd: folder });
  npm('install', '--offline', '--ignore-scripts', '--no-audit');
  const sbom = npm('sbom', '--sbom-format=cyclonedx', '--sbom-type=application');
  rmSync(directory, { recursive: true });
  const output = join(workspaceRoot, 'dist/images');
  mkdirSync(output, { recursive: true });
  const file = join(output, `${name}-${version}.cdx.json`);
  writeFileSync(file, sbom);
  return file;
}
