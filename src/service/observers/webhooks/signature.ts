/** Signature headers of an event: Standard Webhooks specification, symmetric scheme. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const MAX_KEYS = 1000;

/** Cached by secret, because creating a key takes several times as long as signing with it. */
const keys = new Map<string, KeyObject>();

/**
 * One signature for each secret, so that receivers can change over from one to the other. Secrets are `whsec_` and
 * base64. Throws if one contains no key.
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  nowMs: number,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatureOf = (secret: string): string =>
    `v1,${createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': secrets.map(signatureOf).join(' ') };
}

function keyOf(secret: string): KeyObject {
  let key = keys.get(secret);
  if (!key) {
    const bytes = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
    if (bytes.length === 0) throw new Error('a webhook secret without a key');
    key = createSecretKey(bytes);
    if (keys.size >= MAX_KEYS) keys.clear();
    keys.set(secret, key);
  }
  return key;
}
