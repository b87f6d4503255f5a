import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { startTestService, type TestService } from '@cxp/service-kit/testing';
import { needs } from '@cxp/testing';
import { pathOfPythonBuild } from '@cxp/release/release';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';

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

itWithPython('retries, errors, streams, the feed, hints', async () => {
  await python([join(PROJECT, 'test/test_client.py')]);
});

describe('beside the services', () => {
  let services: TestService[] = [];
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  itWithPython('every operation, and a copy that follows', async () => {
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

// What it holds, its names, and that pip installs it: tools/release/test/packages.affected.ts.
describe('what the build makes', () => {
  const build = async (name: string) => {
    const output = join(directory, name);
    const env = { ...process.env, PYTHONPATH: await pathOfPythonBuild() };
    await run(join(PROJECT, 'build.sh'), [output], { env });
    return readdirSync(output)
      .sort()
      .map((file) => readFileSync(join(output, file)));
  };

  itWithPython('is a wheel and an sdist, the same from the same sources', async () => {
    const [first, second] = [await build('first'), await build('second')];
    expect(first).toEqual(second);
    expect(first).toHaveLength(2);
    const { stdout } = await run('git', ['status', '--short', '--ignored', PROJECT], { cwd: workspaceRoot });
    expect(stdout).not.toMatch(/egg-info|build\//);
  });
});

needs('mypy').it('is typed strictly', async () => {
  await run('mypy', ['--cache-dir', '/dev/null'], { cwd: PROJECT });
});
