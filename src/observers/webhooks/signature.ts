/** The headers by which a receiver knows that an event is ours: the Standard Webhooks specification, symmetric scheme. */
import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/** `secret` is `whsec_` and base64. Throws when it holds no key. */
export function signatureHeaders(secret: string, id: string, nowMs: number, body: string): Record<string, string> {
  const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64');
  if (key.length === 0) throw new Error('a webhook secret without a key');
  const timestamp = Math.floor(nowMs / 1000);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}
