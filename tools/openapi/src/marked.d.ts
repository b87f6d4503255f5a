/** What we use of the version that Redoc brings, which has no types. */
declare module 'marked' {
  export interface Token {
    readonly type: string;
    readonly depth?: number;
    readonly text?: string;
  }
  export interface Options {
    readonly mangle?: boolean;
    readonly renderer?: Renderer;
  }
  export class Renderer {
    link(href: string, title: string | null, text: string): string;
    table(header: string, body: string): string;
    code(code: string, language: string, escaped: boolean): string;
  }
  export class Slugger {
    serialize(text: string): string;
  }
  export function getDefaults(): Options;
  export function lexer(source: string, options: Options): Token[];
  export function parser(tokens: readonly Token[], options: Options): string;
}
