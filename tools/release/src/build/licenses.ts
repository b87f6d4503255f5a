import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PACKAGE_DIRECTORY = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * Writes the versions and licences of all packages that bundles are made of: their own files are not deployed.
 * @param inputs the files of the bundles
 */
export async function writeLicenses(
  workspaceRoot: string,
  file: string,
  inputs: readonly string[],
): Promise<void> {
  const directories = inputs.flatMap((input) => PACKAGE_DIRECTORY.exec(input) ?? []);
  const texts = await Promise.all(
    [...new Set(directories)].sort().map((directory) => licenseOf(join(workspaceRoot, directory))),
  );
  await writeFile(file, texts.join('\n\n'));
}

async function licenseOf(directory: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(directory, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: string;
  };
  const files = (await readdir(directory, { withFileTypes: true })).filter(
    (file) => file.isFile() && /^(licen[cs]e|notice)/i.test(file.name),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file.name), 'utf8')));
  return [`${name} ${version} (${license ?? 'see below'})`, ...texts.map((text) => text.trim())].join('\n\n');
}
