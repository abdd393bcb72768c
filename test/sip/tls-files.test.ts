/** Reading of certificate files. */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { expiryOf } from '../../src/media/telephony/sip/tls-files.ts';

const pairOf = (name: string) => ({
  cert: readFileSync(join(import.meta.dirname, 'certificates', `${name}.pem`)),
  key: readFileSync(join(import.meta.dirname, 'certificates', `${name}.key`)),
});

it('says when the first of the certificates expires, our own or one for a carrier', () => {
  const [one, other] = [pairOf('named'), pairOf('domain')];
  const [first, last] = [one, other]
    .map(({ cert }) => new X509Certificate(cert).validToDate.getTime())
    .sort((a, b) => a - b);
  expect(expiryOf({ ...one, clients: [{ host: 'b', ...other }] })).toBe(first);
  expect(expiryOf({ ...other, clients: [{ host: 'a', ...one }] })).toBe(first);
  expect(Math.max(expiryOf(one), expiryOf(other))).toBe(last);
});
