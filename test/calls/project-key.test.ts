import { describe, expect, it } from 'vitest';
import {
  fingerprint,
  hashKey,
  keyMatches,
  newProjectKey,
  newWebhookSecret,
} from '../../src/service/calls/projects/project-key.ts';

describe('project key', () => {
  it('matches its own hash, and no other key matches', async () => {
    const key = newProjectKey();
    const hash = await hashKey(key);
    expect(hash).not.toContain(key);
    expect(await keyMatches(key, hash)).toBe(true);
    expect(await keyMatches(`${key}x`, hash)).toBe(false);
    expect(await keyMatches('', hash)).toBe(false);
  });

  it('is salted: the same key hashes differently each time', async () => {
    expect(await hashKey('same')).not.toBe(await hashKey('same'));
  });

  it.each(['', 'plain', 'scrypt$x$8$1$c2FsdA$aGFzaA', 'scrypt$16384$8$1$$', 'scrypt$999999999$8$1$c2FsdA$aGFzaA'])(
    'matches nothing against the unreadable hash %j',
    async (hash) => {
      expect(await keyMatches('key', hash)).toBe(false);
    },
  );

  it('has the size that the Standard Webhooks specification demands for secrets', () => {
    const secret = newWebhookSecret();
    const bytes = Buffer.from(secret.replace(/^whsec_/, ''), 'base64').length;
    expect(secret).toMatch(/^whsec_/);
    expect(bytes).toBeGreaterThanOrEqual(24);
    expect(bytes).toBeLessThanOrEqual(64);
  });
});

describe('the fingerprint of a key', () => {
  it('is verified by the key alone, and differs each time', async () => {
    const key = newProjectKey();
    expect(fingerprint(key)).not.toContain(key);
    expect(fingerprint(key)).not.toBe(fingerprint(key));
    expect(await keyMatches(key, fingerprint(key))).toBe(true);
    for (const wrong of ['', `${key}x`, key.slice(1)]) expect(await keyMatches(wrong, fingerprint(key))).toBe(false);
  });

  it.each(['hmac', 'hmac$', 'hmac$$', 'hmac$AAAA', 'hmac$AAAA$', 'hmac$AAAA$AAAA'])(
    'does not match the malformed hash %s',
    async (hash) => {
      expect(await keyMatches('key', hash)).toBe(false);
    },
  );
});
