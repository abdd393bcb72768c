/**
 * Project credentials: creates, hashes and compares keys. A check takes tens of milliseconds of a worker thread, so
 * callers that check every request cache the result.
 */
import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** A new key with 256 random bits. */
export const newProjectKey = (): string => randomBytes(32).toString('base64url');

/** A new secret for webhook signatures: 32 bytes; the Standard Webhooks specification requires 24 to 64. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashKey(key: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(key, salt, COST, HASH_BYTES);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/**
 * `hmac$salt$hash`: for a key that the configuration contains in plain text anyway. It is cheap to check, so that
 * guessing cannot load the processors.
 */
export function fingerprint(key: string): string {
  const salt = randomBytes(SALT_BYTES);
  return ['hmac', salt.toString('base64url'), mac(key, salt).toString('base64url')].join('$');
}

/** True if a check against this hash is slow by design. */
export const isCostly = (hash: string): boolean => hash.startsWith('scrypt$');

const mac = (key: string, salt: Buffer): Buffer => createHmac('sha256', salt).update(key).digest();

/** True if `keyHash` was made from `key`; false also for an unreadable hash. */
export async function keyMatches(key: string, keyHash: string): Promise<boolean> {
  const parts = keyHash.split('$');
  if (parts[0] === 'hmac') return isFingerprint(key, parts);
  const [scheme, n, r, p, salt, hash] = parts;
  if (scheme !== 'scrypt' || !salt || !hash) return false;
  const expected = Buffer.from(hash, 'base64url');
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const actual = await derive(key, Buffer.from(salt, 'base64url'), cost, expected.length).catch(() => undefined);
  return actual !== undefined && timingSafeEqual(actual, expected);
}

function isFingerprint(key: string, [, salt, hash]: readonly string[]): boolean {
  if (!salt || !hash) return false;
  const expected = Buffer.from(hash, 'base64url');
  const actual = mac(key, Buffer.from(salt, 'base64url'));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function derive(key: string, salt: Buffer, cost: ScryptOptions, bytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(key, salt, bytes, cost, (error, hash) => (error ? reject(error) : resolve(hash)));
  });
}
