import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { canonicalJson } from '@cxp/change-feed';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import { workspaceRoot } from '@cxp/local-servers';
import { startTestService, type TestService } from '@cxp/service-kit/testing';
import { needs } from '@cxp/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { seed } from '@cxp/testing';

const run = promisify(execFile);
const { it: itWithPython } = needs('python3');
const PROJECT = join(workspaceRoot, 'libs/client-python');

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-client-python-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** @throws with all that it printed */
async function python(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await run('python3', ['-B', '-W', 'error', ...args], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PYTHONPATH: join(PROJECT, 'src'), ...env },
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${args.join(' ')}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}

/** JSON as a service writes it, with its canonical form. */
function vectors(): [string, string][] {
  const bits = new DataView(new ArrayBuffer(8));
  const double = (high: number, low: number) => {
    bits.setUint32(0, high);
    bits.setUint32(4, low);
    return bits.getFloat64(0);
  };
  const powers = Array.from({ length: 660 }, (_, exponent) => Number(`1.5e${exponent - 340}`));
  const doubles = fc
    .tuple(fc.nat(0xffffffff), fc.nat(0xffffffff))
    .map(([high, low]) => double(high, low))
    .filter(Number.isFinite);
  const values = [
    [...powers, ...powers.map((number) => -number)].filter(Number.isFinite),
    // Where JavaScript's notation changes, and the ends of its range.
    [
      0,
      -0,
      1e-6,
      1e-7,
      9.999999e-7,
      1e20,
      1e21,
      123456789012345680000,
      2 ** 53,
      5e-324,
      Number.MAX_VALUE,
      0.1,
      1,
    ],
    { '\ufb03': 1, '\ud83d\ude00': 2, '\u20ac': 3, '\r': 4, '1': 5, '10': 6, '9': 7, '': 8, '\ud800': 9 },
    ['\u0000\u001f\u007f\u2028"\\/\b\f\n\r\t', 'ế 😀', '\udead lone \ud800', null, true, false, {}, []],
    ...fc.sample(fc.jsonValue({ noUnicodeString: false }), { numRuns: 300, seed }),
    ...fc.sample(fc.array(doubles), { numRuns: 200, seed }),
  ];
  return values.map((value) => [JSON.stringify(value), canonicalJson(value)]);
}

itWithPython('retries, streams, the feed, canonical JSON', async () => {
  const file = join(directory, 'vectors.json');
  writeFileSync(file, JSON.stringify(vectors()));
  await python([join(PROJECT, 'test/test_client.py')], { CXP_VECTORS: file });
});

describe('beside the services', () => {
  let services: TestService[] = [];
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  itWithPython('every operation, and a follower into SQLite', async () => {
    services = [
      await startTestService(ContactCenterModule, contactCenterDatabase),
      await startTestService(SurveyModule, surveyDatabase),
    ];
    const [contactCenter, survey] = services as [TestService, TestService];
    const { organizationId, token } = await contactCenter.caller();
    const { token: surveyToken } = await survey.caller({ organizationId });
    await python([join(PROJECT, 'test/test_services.py')], {
      ORGANIZATION_ID: organizationId,
      API_TOKEN: token,
      SURVEY_TOKEN: surveyToken,
      CONTACT_CENTER_URL: contactCenter.url,
      SURVEY_URL: survey.url,
    });
  });
});

describe('what the build makes', () => {
  const build = async (name: string) => {
    const output = join(directory, name);
    await python([join(PROJECT, 'build_backend.py'), output]);
    return readdirSync(output)
      .sort()
      .map((file) => ({ file, path: join(output, file), content: readFileSync(join(output, file)) }));
  };

  itWithPython('is the same from the same sources', async () => {
    const [first, second] = [await build('first'), await build('second')];
    expect(first.map(({ content }) => content)).toEqual(second.map(({ content }) => content));
    const { version } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(first.map(({ file }) => file)).toEqual([
      `cxp_client-${version}-py3-none-any.whl`,
      `cxp_client-${version}.tar.gz`,
    ]);
  });

  itWithPython.each([
    ['wheel', 0],
    ['sdist', 1],
  ])('is installed by pip, without network: the %s', async (name, place) => {
    const { path } = (await build('installed'))[place]!;
    const target = join(directory, name);
    const pip = [
      '-m',
      'pip',
      '--disable-pip-version-check',
      'install',
      '--no-index',
      '--no-cache-dir',
      '--target',
      target,
    ];
    await run('python3', [...pip, path]);
    const shown =
      'import importlib.metadata as m, cxp_client; print(cxp_client.__file__, m.version("cxp-client"))';
    expect(await python(['-c', shown], { PYTHONPATH: target })).toMatch(
      `${target}/cxp_client/__init__.py ${path.match(/\d+\.\d+\.\d+/)![0]}`,
    );
    expect(readdirSync(join(target, 'cxp_client'))).toContain('py.typed');
  });
});

needs('mypy').it('is typed strictly', async () => {
  await run('mypy', ['--cache-dir', '/dev/null'], { cwd: PROJECT });
});
