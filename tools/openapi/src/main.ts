import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { writeClientTypes } from './client-types';
import { BUILT_DOCUMENTS, writeDocuments } from './documents';
import { generatedDocuments } from './generated-tables';
import { renewSchemaTexts } from './schema-texts';
import { describedServices } from '@cxp/areas/described-services';

/**
 * `npm run openapi`: writes each service's OpenAPI document and the types of its client, the tables of the documents, the documents page, and
 * the schemas.
 */
export async function main(): Promise<void> {
  for (const { app, describe } of describedServices)
    writeAll({ [`apps/${app}/openapi.json`]: `${JSON.stringify(await describe(), null, 2)}\n` });
  await writeClientTypes();
  writeAll(await generatedDocuments());
  await writeDocuments(BUILT_DOCUMENTS);
  await renewSchemaTexts(writeAll);
}

function writeAll(files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    const absolute = join(workspaceRoot, path);
    if (existsSync(absolute) && readFileSync(absolute, 'utf8') === content) continue;
    writeFileSync(absolute, content);
    console.log(path);
  }
}
