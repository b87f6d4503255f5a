import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { BUILT_DOCUMENTS, writeDocuments } from './documents-page';
import { generatedFiles } from './generated-files';
import { describedServices } from '@cxp/services/definitions';

/**
 * `npm run openapi`: writes each service's OpenAPI document and the types of its client, and the documents page of them.
 */
export async function main(): Promise<void> {
  for (const service of describedServices) {
    for (const [path, content] of Object.entries(await generatedFiles(service))) {
      const absolute = join(workspaceRoot, path);
      if (existsSync(absolute) && readFileSync(absolute, 'utf8') === content) continue;
      writeFileSync(absolute, content);
      console.log(path);
    }
  }
  await writeDocuments(BUILT_DOCUMENTS);
}
