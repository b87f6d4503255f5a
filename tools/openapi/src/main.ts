import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { generatedFiles } from './generated-files';
import { referenceDocument } from './reference-document';
import { describedServices } from '@cxp/services/definitions';

/** What the documents page of every service shows. */
const REFERENCE = 'libs/service-kit/src/openapi/reference.json';

/**
 * `npm run openapi`: writes each service's OpenAPI document and the types of its client.
 * With `--check` it writes nothing, and fails when what is committed differs.
 */
export async function main([flag]: readonly string[]): Promise<void> {
  const files: Record<string, string>[] = [
    { [REFERENCE]: `${JSON.stringify(await referenceDocument(), null, 2)}\n` },
  ];
  for (const service of describedServices) files.push(await generatedFiles(service));
  for (const file of files) {
    for (const [path, content] of Object.entries(file)) {
      const absolute = join(workspaceRoot, path);
      if (existsSync(absolute) && readFileSync(absolute, 'utf8') === content) continue;
      if (flag === '--check') {
        console.error(`${path} does not say what the code does: npm run openapi`);
        process.exitCode = 1;
      } else {
        writeFileSync(absolute, content);
        console.log(path);
      }
    }
  }
}
