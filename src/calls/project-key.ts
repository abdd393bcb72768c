/**
 * Credentials of a project: how they are made, hashed and compared.
 * A check costs tens of milliseconds of a worker thread: who checks on every request remembers what was right.
 */
import { createHmac, randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';

const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 1 };
const HASH_BYTES = 32;
const SALT_BYTES = 16;

/** A new key, with 256 bits of chance. */
export const newProjectKey = (): string => randomBytes(32).toString('base64url');

/** A new secret for signing webhooks: 24 to 64 bytes as the Standard Webhooks specification asks. */
export const newWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** `scrypt$N$r$p$salt$hash`, salt and hash in base64url. */
export async function hashKey(key: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(key, salt, COST, HASH_BYTES);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/**
 * `hmac$salt$hash`: for a key that the configuration keeps in clear anyway. It costs nothing to check, so that nobody can
 * keep the processors busy by guessing.
 */
export function fingerprint(key: string): string {
  const salt = randomBytes(SALT_BYTES);
  return ['hmac', salt.toString('base64url'), mac(key, salt).toString('base64url')].join('$');
}

/** Whether checking against this hash takes its time. */
export const isCostly = (hash: string): boolean => hash.startsWith('scrypt$');

const mac = (key: string, salt: Buffer): Buffer => createHmac('sha256', salt).update(key).digest();

/** Whether `key` is the one that `keyHash` was made of; false also for a hash that cannot be read. */
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
