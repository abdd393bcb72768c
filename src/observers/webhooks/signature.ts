/** The headers that prove an event to be ours: the Standard Webhooks specification, symmetric scheme. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const MOST_KEYS = 1000;

/** By secret, because making a key takes several times as long as signing with it. */
const keys = new Map<string, KeyObject>();

/** `secret` is `whsec_` and base64. Throws if it contains no key. */
export function signatureHeaders(secret: string, id: string, nowMs: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signature = createHmac('sha256', keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}

function keyOf(secret: string): KeyObject {
  let key = keys.get(secret);
  if (!key) {
    const bytes = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
    if (bytes.length === 0) throw new Error('a webhook secret without a key');
    key = createSecretKey(bytes);
    if (keys.size >= MOST_KEYS) keys.clear();
    keys.set(secret, key);
  }
  return key;
}
