/**
 * Webhook format `encrypted`, for existing receivers: the body is `{"encrypted_data": "…"}`, and headers describe the
 * encoding. Key and IV are derived from the project's id by OpenSSL's EVP_BytesToKey (MD5, no salt, one round), as in
 * `openssl enc -d -aes-256-cbc -md md5 -nosalt -k APP_ID`.
 *
 * It provides neither confidentiality towards anyone who knows the id nor authenticity: new receivers check signatures
 * instead. Invariant: the same event gives the same bytes at every attempt.
 */
import { createCipheriv, createHash } from 'node:crypto';

const CIPHER = 'aes-256-cbc';
const KEY_BYTES = 32;
const IV_BYTES = 16;

export interface EncryptedBody {
  body: string;
  headers: Record<string, string>;
}

export function encryptedBody(body: string, appId: string): EncryptedBody {
  const { key, iv } = keyOf(appId);
  const cipher = createCipheriv(CIPHER, key, iv);
  const encrypted = cipher.update(body, 'utf8', 'hex') + cipher.final('hex');
  return {
    body: JSON.stringify({ encrypted_data: encrypted }),
    // The first name is misspelled, as these receivers expect.
    headers: { 'x-algoritm': CIPHER, 'x-algorithm': CIPHER, 'x-format': 'hex', 'x-encoding': 'utf8' },
  };
}

/** EVP_BytesToKey(3): each block is the digest of the previous one and the password. */
function keyOf(password: string): { key: Buffer; iv: Buffer } {
  let derived = Buffer.alloc(0);
  let block = Buffer.alloc(0);
  while (derived.length < KEY_BYTES + IV_BYTES) {
    block = createHash('md5').update(block).update(password, 'utf8').digest();
    derived = Buffer.concat([derived, block]);
  }
  return { key: derived.subarray(0, KEY_BYTES), iv: derived.subarray(KEY_BYTES, KEY_BYTES + IV_BYTES) };
}
