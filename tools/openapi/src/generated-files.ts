import type { OpenAPIObject } from '@nestjs/swagger';
import openapiTS, { astToString } from 'openapi-typescript';
import type { DescribedService } from './services';

/** What is committed about a service, by its path from the workspace's root. */
export async function generatedFiles({ app, describe }: DescribedService): Promise<Record<string, string>> {
  const document = await describe();
  return {
    [`apps/${app}/openapi.json`]: `${JSON.stringify(document, null, 2)}\n`,
    [`tools/openapi/src/generated/${app}.ts`]: await typesOf(document),
  };
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
