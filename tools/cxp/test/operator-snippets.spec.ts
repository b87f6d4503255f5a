import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { commandLine } from '../src/main';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { services } from '@cxp/system-tests/services';
import { DOCUMENTS, SHOWN_LANGUAGES, snippetsOf } from '@cxp/local-stack/snippets';

/*
 * The commands of operators and developers need Docker, a cluster, or a whole build: they are not run here. Checked are their
 * syntax, and that all they name exists: files, scripts, projects, services, commands of cxp and their options.
 */

const documents = ['apps', 'libs', 'tools', 'docker']
  .flatMap((folder) =>
    readdirSync(join(workspaceRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
      join(folder, file),
    ),
  )
  .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
  .filter((document) => !(DOCUMENTS as readonly string[]).includes(document));
const withSnippets = documents.filter((document) => snippetsOf(document).length > 0);
const withShell = documents.filter((document) => commandsOf(document).length > 0);

const { scripts } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

it.each(withSnippets)('%s holds only snippets that a test knows', (document) => {
  for (const { language, text } of snippetsOf(document)) {
    expect([...SHOWN_LANGUAGES, 'sh', 'sql']).toContain(language);
    if (language === 'sh') execFileSync('bash', ['-n'], { input: text });
  }
});

it.each(withShell)('the commands of %s name what exists', (document) => {
  const problems = commandsOf(document).flatMap((command) =>
    problemsOf(command).map((problem) => `${command.join(' ')}: ${problem}`),
  );
  expect(problems).toEqual([]);
});

it.each(documents)(
  '%s gives no person and no token to kubectl exec: the API server logs its arguments',
  (document) => {
    const text = readFileSync(join(workspaceRoot, document), 'utf8').replaceAll('\\\n', ' ');
    // Of code in a sentence, a backtick is the end.
    expect(text.match(/kubectl exec[^`\n]*--(user-id|phone|email|token)\b[^`\n]*/g) ?? []).toEqual([]);
  },
);

/** The commands of a document, in words; a pipe and a redirection end a command. */
function commandsOf(document: string): string[][] {
  return snippetsOf(document)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) =>
      text
        .replaceAll('\\\n', ' ')
        // Here-documents
        .replace(/ <<'?(\w+)'?\n[^]*?^\1$/gm, '')
        .split('\n'),
    )
    .map((line) => line.replace(/(^|\s)#.*$/, '').split(/\s[|<>]\s/)[0]!)
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/));
}

function problemsOf([program, ...words]: string[]): string[] {
  switch (program) {
    case 'npm':
      return problemsOfNpm(words);
    case 'npx':
      if (words[0] === 'cxp') return problemsOfCxp(words.slice(1));
      return words[0] === 'nx' ? problemsOfNx(words.slice(1)) : [`npx ${words[0]} is unknown`];
    case 'docker':
    case 'buildah':
    case 'kubectl': {
      // kubectl has names of its own before it. xargs runs the rest.
      const first = words.indexOf('--') + 1;
      const inPod = words[first] === 'xargs' ? words.indexOf('cxp', first) : first;
      const isCxp = program !== 'kubectl' || words[inPod] === 'cxp';
      const cxp = isCxp ? words.indexOf('cxp', inPod) : -1;
      const others = cxp === -1 ? words : words.slice(0, cxp);
      return [...problemsOfWords(others), ...(cxp === -1 ? [] : problemsOfCxp(words.slice(cxp + 1)))];
    }
    case 'psql':
      return problemsOfWords(words.map((word) => word.replace(/^--file=/, '')));
    case 'pg_dump':
    case 'createdb':
    case 'pg_restore':
    case 'pg_basebackup':
    case 'pg_ctl':
    case 'cp':
    case 'printf':
    case 'touch':
      return [];
    default:
      if (/^[A-Z_]+=/.test(program!)) return [];
      return existsSync(join(workspaceRoot, program!)) ? [] : [`${program} is unknown`];
  }
}

function problemsOfNpm([command, script]: string[]): string[] {
  if (command === 'ci') return [];
  const name = command === 'run' ? script! : command!;
  return name in scripts ? [] : [`package.json has no script ${name}`];
}

function problemsOfNx([target, project]: string[]): string[] {
  const isProject = ['apps', 'libs', 'tools'].some((folder) =>
    existsSync(join(workspaceRoot, folder, project!, 'project.json')),
  );
  return [
    ...(['serve', 'build', 'test'].includes(target!) ? [] : [`nx has no target ${target}`]),
    ...(isProject ? [] : [`there is no project ${project}`]),
  ];
}

/** Paths below `docker/`, and the service that an image is built for. */
function problemsOfWords(words: string[]): string[] {
  return words.flatMap((word) => {
    const app = /^APP=(.*)$/.exec(word)?.[1];
    if (app) return services.some((service) => service.app === app) ? [] : [`there is no service ${app}`];
    return /^docker\//.test(word) && !existsSync(join(workspaceRoot, word)) ? [`there is no ${word}`] : [];
  });
}

function problemsOfCxp(words: string[]): string[] {
  let command: Command = commandLine();
  let depth = 0;
  for (; ; depth += 1) {
    const next = command.commands.find((subcommand) => subcommand.name() === words[depth]);
    if (!next) break;
    command = next;
  }
  if (command.commands.length > 0) return [`cxp has no command ${words.slice(0, depth + 1).join(' ')}`];
  const options = command.options.map(({ long }) => long);
  const problems = words
    .filter((word) => word.startsWith('--') && !options.includes(word))
    .map((option) => `cxp ${command.name()} has no option ${option}`);
  const missing = command.options
    .filter(({ mandatory, long }) => mandatory && !words.includes(long!))
    .map(({ long }) => `${long} is missing`);
  return [...problems, ...missing];
}
