import { execFileSync } from 'node:child_process';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '../src/main';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { DOCUMENTS, SHOWN_LANGUAGES, snippetsOf } from '@cxp/local-stack/snippets';

/*
 * The commands of operators and developers need Docker, a cluster, or a whole build: they are not run here. Checked are their
 * syntax, and that the scripts, files, projects, commands of cxp and options exist that they name.
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
const { scripts } = JSON.parse(readFileSync(join(workspaceRoot, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

it.each(withSnippets)('%s holds only snippets that a test knows', (document) => {
  for (const { language, text } of snippetsOf(document)) {
    expect([...SHOWN_LANGUAGES, 'sh', 'sql']).toContain(language);
    if (language === 'sh') execFileSync('bash', ['-n'], { input: text });
  }
});

const COMMANDS = commandLine().commands;
const NAMES = COMMANDS.map((command) => command.name()).join('|');

it.each(withSnippets)('the commands of %s name what exists', (document) => {
  const shell = snippetsOf(document)
    .filter(({ language }) => language === 'sh')
    .map(({ text }) => text.replaceAll('\\\n', ' ').replaceAll(/(^|\s)#.*$/gm, ''))
    .join('\n');
  const named = (pattern: RegExp) => Array.from(shell.matchAll(pattern), ([, name]) => name!);
  expect(named(/\bnpm run ([\w:-]+)/g).filter((script) => !(script in scripts))).toEqual([]);
  expect(named(/\bnpx cxp ([\w-]+)/g).filter((name) => !NAMES.split('|').includes(name))).toEqual([]);
  expect(named(new RegExp(`\\bcxp ((?:${NAMES})\\b[^\\n|<>]*)`, 'g')).flatMap(problemsOfCxp)).toEqual([]);
  const paths = [
    ...named(/(?:^|[ =])((?:docker|tools|apps|libs)\/[\w./-]+)/gm),
    ...named(/\bnx \w+ ([\w-]+)/g).map((project) => `{apps,libs,tools}/${project}/project.json`),
  ];
  expect(paths.filter((path) => globSync(path, { cwd: workspaceRoot }).length === 0)).toEqual([]);
});

it.each(documents)(
  '%s gives no person and no token to kubectl exec: the API server logs its arguments',
  (document) => {
    const text = readFileSync(join(workspaceRoot, document), 'utf8').replaceAll('\\\n', ' ');
    // Of code in a sentence, a backtick is the end.
    expect(text.match(/kubectl exec[^`\n]*--(user-id|phone|email|token)\b[^`\n]*/g) ?? []).toEqual([]);
  },
);

function problemsOfCxp(line: string): string[] {
  const words = line.trim().split(/\s+/);
  let command = COMMANDS.find((one) => one.name() === words[0])!;
  for (const word of words.slice(1)) {
    const next = command.commands.find((one) => one.name() === word);
    if (!next) break;
    command = next;
  }
  if (command.commands.length > 0 && command.options.length === 0)
    return [`${line}: there is no such command`];
  const options = command.options;
  const problems = words
    .filter((word) => word.startsWith('--') && !options.some(({ long }) => long === word))
    .map((option) => `${line}: there is no ${option}`);
  const missing = options
    .filter(({ mandatory, long }) => mandatory && !words.includes(long!))
    .map(({ long }) => `${line}: ${long} is missing`);
  return [...problems, ...missing];
}
