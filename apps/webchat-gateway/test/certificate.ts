import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** A certificate for `localhost`, in files. */
export interface TestCertificate {
  readonly pem: string;
  /** What tells the service of it. */
  readonly settings: Readonly<Record<string, string>>;
  readonly remove: () => void;
}

export async function createCertificate(): Promise<TestCertificate> {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-tls-'));
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const settings = {
    WEBCHAT_TLS_CERT: join(directory, 'cert.pem'),
    WEBCHAT_TLS_KEY: join(directory, 'key.pem'),
  };
  writeFileSync(settings.WEBCHAT_TLS_CERT, cert);
  writeFileSync(settings.WEBCHAT_TLS_KEY, key);
  return { pem: cert, settings, remove: () => rmSync(directory, { recursive: true }) };
}
