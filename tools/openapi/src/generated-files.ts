import type { OpenAPIObject } from '@nestjs/swagger';
import openapiTS, { astToString } from 'openapi-typescript';
import { recordsDocument } from '@cxp/record-intake';
import { recordAreas } from '@cxp/services/areas';
import type { DescribedService } from '@cxp/services/definitions';

/** What is committed about a service, by its path from the workspace's root. */
export async function generatedFiles({
  app,
  area,
  describe,
}: DescribedService): Promise<Record<string, string>> {
  const document = await describe();
  return {
    [`apps/${app}/openapi.json`]: `${JSON.stringify(document, null, 2)}\n`,
    [`apps/${app}/openapi.internal.json`]: `${JSON.stringify(internalDocument(area), null, 2)}\n`,
    [`libs/client/src/generated/${app}.ts`]: await typesOf(document),
  };
}

function internalDocument(area: string): OpenAPIObject {
  return recordsDocument(recordAreas.find(({ name }) => name === area)!);
}

/** The types of the service's paths. A client sends its headers by itself, so that no call has to name them. */
async function typesOf(document: OpenAPIObject): Promise<string> {
  const withoutHeaders = structuredClone(document);
  for (const path of Object.values(withoutHeaders.paths)) {
    for (const operation of [path.get, path.post]) {
      if (!operation) continue;
      operation.parameters = operation.parameters?.filter(
        (parameter) => !('in' in parameter) || parameter.in !== 'header',
      );
    }
  }
  return astToString(await openapiTS(JSON.stringify(withoutHeaders)));
}
