/** The result of a command: a JSON object for programs (`--json`), a few lines for people. */
export interface CommandResult {
  readonly json: object;
  readonly text: string;
}

export function printResult({ json, text }: CommandResult, asJson: boolean | undefined): void {
  process.stdout.write(asJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
}
