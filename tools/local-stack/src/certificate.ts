import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

const VALID_DAYS = 365;

export interface Certificate {
  /** PEM files. */
  readonly cert: string;
  readonly key: string;
}

/** The local stack's own certificate for `localhost`: made at its first start, and again when it has expired. */
export async function prepareCertificate(directory: string): Promise<Certificate> {
  const files = { cert: join(directory, 'tls/cert.pem'), key: join(directory, 'tls/key.pem') };
  if (isValid(files)) return files;
  const notAfterDate = new Date(Date.now() + VALID_DAYS * 86_400_000);
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate,
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  mkdirSync(join(directory, 'tls'), { recursive: true });
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.cert, cert);
  return files;
}

function isValid({ cert, key }: Certificate): boolean {
  if (!existsSync(key) || !existsSync(cert)) return false;
  return Date.parse(new X509Certificate(readFileSync(cert)).validTo) > Date.now();
}
