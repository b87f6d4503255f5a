// Lints texts as if they stood in existing files of the workspace. Standard input: `[{file, text}]`; standard output: for
// each, `[{rule, message}]`. A process of its own, because Jest can't load ESLint's configuration, an ES module.
import { join } from 'node:path';
import { ESLint } from 'eslint';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const eslint = new ESLint({
  overrideConfigFile: join(import.meta.dirname, '../eslint.config.mjs'),
  // Imports are judged without types, which would be worked out anew for each text.
  overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions: { project: null } } },
  ruleFilter: ({ ruleId }) => !ruleId.startsWith('@typescript-eslint/'),
});
const answers = [];
for (const { file, text } of JSON.parse(Buffer.concat(chunks).toString())) {
  const [{ messages }] = await eslint.lintText(text, { filePath: file });
  answers.push(messages.map(({ ruleId, message }) => ({ rule: ruleId, message })));
}
process.stdout.write(JSON.stringify(answers));
