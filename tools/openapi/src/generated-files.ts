import type { DescribedService } from '@cxp/system-tests/definitions';

/** What is committed about a service, by its path from the workspace's root. */
export async function generatedFiles({ app, describe }: DescribedService): Promise<Record<string, string>> {
  return { [`apps/${app}/openapi.json`]: `${JSON.stringify(await describe(), null, 2)}\n` };
}
