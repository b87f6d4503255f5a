/** The part of yazl that we use; the package brings no types. */
declare module 'yazl' {
  import type { Readable } from 'node:stream';

  export class ZipFile {
    readonly outputStream: Readable;
    addBuffer(content: Buffer, path: string): void;
    addReadStream(content: Readable, path: string, options?: { readonly compressionLevel?: number }): void;
    end(): void;
  }
}
