import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';

/** Who runs the servers of tests that root starts. */
const NOBODY = 65534;

const KEYS = { keyType: 'ec', algorithm: 'sha256' } as const;

export interface CertificateFiles {
  readonly cert: string;
  readonly key: string;
}

/** A certificate authority of a test's own, and what it issues, as PEM files. */
export interface Authority {
  readonly file: string;
  /** @param hosts names and addresses of a server; of a client none */
  readonly issue: (commonName: string, hosts?: readonly string[]) => Promise<CertificateFiles>;
  /** Of what it has issued. */
  readonly files: (commonName: string) => CertificateFiles;
}

export async function makeAuthority(directory: string): Promise<Authority> {
  mkdirSync(directory);
  const ca = await generate([{ name: 'commonName', value: 'Authority of a test' }], {
    ...KEYS,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const file = join(directory, 'ca.pem');
  writeFileSync(file, ca.cert);
  const files = (name: string) => ({
    cert: join(directory, `${name}.pem`),
    key: join(directory, `${name}.key`),
  });
  return {
    file,
    files,
    issue: async (commonName, hosts = []) => {
      const issued = await generate([{ name: 'commonName', value: commonName }], {
        ...KEYS,
        ca: { cert: ca.cert, key: ca.private },
        extensions: [
          { name: 'basicConstraints', cA: false },
          {
            name: 'subjectAltName',
            altNames: [...hosts, commonName].map((host) =>
              isIP(host) ? { type: 7, ip: host } : { type: 2, value: host },
            ),
          },
        ],
      });
      const { cert, key } = files(commonName);
      writeFileSync(cert, issued.cert);
      writeFileSync(key, issued.private, { mode: 0o600 });
      // PostgreSQL wants its key to be its own.
      if (process.getuid?.() === 0) chownSync(key, NOBODY, NOBODY);
      return { cert, key };
    },
  };
}
