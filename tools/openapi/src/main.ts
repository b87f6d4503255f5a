import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing';
import { generatedFiles } from './generated-files';
import { services } from './services';

/**
 * `npm run openapi`: writes each service's OpenAPI document and the types of its client.
 * With `--check` it writes nothing, and fails when what is committed differs.
 */
export async function main([flag]: readonly string[]): Promise<void> {
  for (const service of services) {
    for (const [path, content] of Object.entries(await generatedFiles(service))) {
      const file = join(workspaceRoot, path);
      if (existsSync(file) && readFileSync(file, 'utf8') === content) continue;
      if (flag === '--check') {
        console.error(`${path} does not say what the code does: npm run openapi`);
        process.exitCode = 1;
      } else {
        writeFileSync(file, content);
        console.log(path);
      }
    }
  }
}
