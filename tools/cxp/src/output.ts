/** What a command tells: a JSON object for programs (`--json`), a few lines for people. */
export interface Told {
  readonly json: object;
  readonly text: string;
}

export function tell({ json, text }: Told, asJson: boolean | undefined): void {
  process.stdout.write(asJson ? `${JSON.stringify(json)}\n` : `${text}\n`);
}
