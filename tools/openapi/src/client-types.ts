import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import openapiTS, { astToString } from 'openapi-typescript';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { services } from '@cxp/areas/services';

const DIRECTORY = join(workspaceRoot, 'libs/client/src/generated');

/** Writes the types of the client from the committed OpenAPI documents, if those have changed since. */
export async function writeClientTypes(): Promise<void> {
  mkdirSync(DIRECTORY, { recursive: true });
  for (const { app } of services) {
    const text = readFileSync(join(workspaceRoot, 'apps', app, 'openapi.json'), 'utf8');
    const file = join(DIRECTORY, `${app}.ts`);
    const head = `// Made of apps/${app}/openapi.json, ${digestOf(text)}.\n`;
    if (existsSync(file) && readFileSync(file, 'utf8').startsWith(head)) continue;
    // Two commands may write it at once.
    const temporary = `${file}.${process.pid}`;
    writeFileSync(temporary, head + (await typesOf(JSON.parse(text) as OpenAPIObject)));
    renameSync(temporary, file);
  }
}

/** Of the document, and of the versions of what makes the types. */
function digestOf(text: string): string {
  const manifest = readFileSync(join(workspaceRoot, 'package.json'));
  return createHash('sha256').update(manifest).update(text).digest('hex').slice(0, 16);
}

/** The types of the service's paths. A client sends its headers by itself, so that no call has to name them. */
async function typesOf(document: OpenAPIObject): Promise<string> {
  for (const path of Object.values(document.paths)) {
    for (const operation of [path.get, path.post]) {
      if (!operation) continue;
      operation.parameters = operation.parameters?.filter(
        (parameter) => !('in' in parameter) || parameter.in !== 'header',
      );
    }
  }
  return astToString(await openapiTS(JSON.stringify(document)));
}
