import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deployablePackage } from './deployable-package';

describe('the package.json of a built project', () => {
  const workspace = mkdtempSync(join(tmpdir(), 'cxp-deployable-'));
  writeFileSync(
    join(workspace, 'package.json'),
    JSON.stringify({
      version: '1.2.3',
      engines: { node: '>=22' },
      dependencies: { '@scope/used': '1.0.0', bundled: '2.0.0', unused: '3.0.0' },
      devDependencies: { tool: '4.0.0' },
    }),
  );
  afterAll(() => rmSync(workspace, { recursive: true }));

  it('names what its files import, in the versions of the workspace', async () => {
    const imports = ['@scope/used/part', 'node:fs', 'path', '@scope/used'];
    expect(await deployablePackage(workspace, 'app', imports, ['bundled'])).toEqual({
      name: 'app',
      version: '1.2.3',
      private: true,
      engines: { node: '>=22' },
      dependencies: { '@scope/used': '1.0.0' },
    });
  });

  it.each([
    ['imported', ['tool/part'], []],
    ['bundled', [], ['tool']],
  ])('has no development dependency, %s', async (_, imports, bundled) => {
    await expect(deployablePackage(workspace, 'app', imports, bundled)).rejects.toThrow(
      'app deploys development dependencies: tool',
    );
  });
});
