import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/testing/local-servers';

/**
 * Runs `npx cxp …`, the way an operator would.
 * @throws the line that it says its failure with
 */
export async function cxp(environment: NodeJS.ProcessEnv, ...args: string[]): Promise<void> {
  const program = join(workspaceRoot, 'tools/cxp/bin/cxp.js');
  try {
    await promisify(execFile)(process.execPath, [program, ...args], { env: environment });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new Error(`cxp ${args.join(' ')}: ${stderr?.trim() || String(error)}`, { cause: error });
  }
}
