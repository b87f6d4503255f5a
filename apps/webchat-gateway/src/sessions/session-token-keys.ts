import { createSecretKey, type KeyObject } from 'node:crypto';
import { JwtSecretRequestType, type JwtModuleOptions } from '@nestjs/jwt';
import { decode } from 'jsonwebtoken';
import type { SigningKey } from '@cxp/service-kit';

const ALGORITHM = 'HS256';

/**
 * The first key signs; the others verify what was signed before a rotation. The token's `kid` names the key.
 * Keys are `KeyObject`s: given a text, jsonwebtoken first tries to parse it as a PEM, which costs half of a session's
 * creation.
 */
export function sessionTokenOptions(signingKeys: readonly SigningKey[]): JwtModuleOptions {
  const keys = new Map<string | undefined, KeyObject>(
    signingKeys.map(({ id, secret }) => [id, createSecretKey(secret, 'utf8')]),
  );
  const keyid = signingKeys[0]!.id;
  return {
    signOptions: { algorithm: ALGORITHM, keyid },
    verifyOptions: { algorithms: [ALGORITHM] },
    secretOrKeyProvider: (purpose, token) => {
      const id =
        purpose === JwtSecretRequestType.SIGN
          ? keyid
          : decode(token as string, { complete: true })?.header.kid;
      const key = keys.get(id);
      if (!key) throw new Error('no such signing key');
      return key;
    },
  };
}
