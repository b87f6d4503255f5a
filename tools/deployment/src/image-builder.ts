import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DockerfileParser, type Instruction, type ModifiableInstruction } from 'dockerfile-ast';
import { workspaceRoot } from '@cxp/local-servers';
import { copyFromBuildContext } from './build-context';

export const dockerfile = readFileSync(join(workspaceRoot, 'docker/Dockerfile'), 'utf8');

/** What an image's last stage says about running it. */
export interface Image {
  /** Where the image's working directory is on this machine. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

interface Stage extends Image {
  readonly name: string;
  /** What stands for the stage's root file system. */
  readonly root: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/**
 * Follows docker/Dockerfile without Docker: every stage's file system is a folder, and its commands run on this machine,
 * with nothing of the workspace but what COPY brings. Knows the instructions that the file uses and throws on others.
 */
export class ImageBuilder {
  /** Named stages by their root. Like an engine, it does not repeat in them what another build has done. */
  private readonly namedStages = new Map<string, string>();
  private readonly done = new Set<string>();

  /** @param directory an empty one, for all stages */
  constructor(private readonly directory: string) {}

  async build(buildArguments: Readonly<Record<string, string>>): Promise<Image> {
    let stage: Stage | undefined;
    for (const instruction of DockerfileParser.parse(dockerfile).getInstructions()) {
      if (instruction.getKeyword() === 'FROM') stage = this.startStage(contentOf(instruction));
      else if (stage) stage = { ...stage, ...(await this.follow(instruction, stage, buildArguments)) };
    }
    return stage!;
  }

  private startStage(from: string): Stage {
    const name = / AS (\S+)$/i.exec(from)?.[1];
    const root = this.namedStages.get(name ?? '') ?? mkdtempSync(join(this.directory, 'stage-'));
    if (name) this.namedStages.set(name, root);
    const nothing = { arguments: {}, environment: {}, command: [], healthCheck: [] };
    return { name: name ?? root, root, directory: root, user: 'root', ...nothing };
  }

  private async follow(
    instruction: Instruction,
    stage: Stage,
    buildArguments: Readonly<Record<string, string>>,
  ): Promise<Partial<Stage>> {
    const content = contentOf(instruction);
    const values = { ...stage.arguments, ...stage.environment };
    const text = expand(content, values);
    switch (instruction.getKeyword()) {
      case 'ARG': {
        const [name, preset = ''] = text.split('=', 2);
        return { arguments: { ...stage.arguments, [name!]: buildArguments[name!] ?? preset } };
      }
      case 'ENV':
        return { environment: { ...stage.environment, ...assignments(text) } };
      case 'WORKDIR':
        mkdirSync(join(stage.root, text), { recursive: true });
        return { directory: join(stage.root, text) };
      case 'COPY': {
        const from = (instruction as ModifiableInstruction)
          .getFlags()
          .find((flag) => flag.getName() === 'from');
        await this.once([stage.name, text], () => this.copy(text.split(/\s+/), stage, from?.getValue()));
        return {};
      }
      case 'RUN':
        await this.once([stage.name, content, values], () =>
          promisify(execFile)('sh', ['-c', content], {
            cwd: stage.directory,
            env: { ...environmentOfBuilds(), ...values },
          }),
        );
        return {};
      case 'USER':
        return { user: text };
      case 'CMD':
        return { command: JSON.parse(text) as string[] };
      case 'HEALTHCHECK':
        return { healthCheck: JSON.parse(text.replace(/^CMD /, '')) as string[] };
      case 'EXPOSE':
      case 'LABEL':
        return {};
      default:
        throw new Error(`docker/Dockerfile uses ${instruction.getKeyword()}, which is not known here`);
    }
  }

  private async once(step: unknown[], perform: () => unknown): Promise<void> {
    const key = JSON.stringify(step);
    if (this.done.has(key)) return;
    await perform();
    this.done.add(key);
  }

  private copy(paths: string[], stage: Stage, fromStage: string | null | undefined): void {
    const target = join(stage.directory, paths.at(-1)!);
    for (const source of paths.slice(0, -1)) {
      if (fromStage) cpSync(join(this.namedStages.get(fromStage)!, source), target, { recursive: true });
      else copyFromBuildContext(source, target);
    }
  }
}

function contentOf(instruction: Instruction): string {
  return instruction.getArgumentsContent() ?? '';
}

function expand(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\$\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** `A=1 B="2 and 3"`. */
function assignments(text: string): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g)].map(([, name, quoted, plain]) => [
      name,
      quoted ?? plain,
    ]),
  );
}

/** What a build needs to reach the registry, and nothing that a test or an npm script has set. */
export function environmentOfBuilds(): NodeJS.ProcessEnv {
  const needed = /^(PATH|HOME|\w+_proxy|NODE_EXTRA_CA_CERTS|npm_config_(cache|registry|userconfig))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.test(name)));
}
