/** Old receivers decrypt with OpenSSL, so this test runs `openssl` too. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { encryptedBody } from '../../src/service/observers/webhooks/encrypted-body.ts';
import { Rig } from './rig.ts';

const openssl = (hex: string, password: string): string =>
  execFileSync('openssl', ['enc', '-d', '-aes-256-cbc', '-md', 'md5', '-nosalt', '-k', password], {
    input: Buffer.from(hex, 'hex'),
    stdio: ['pipe', 'pipe', 'ignore'],
  }).toString('utf8');

const dataOf = (body: string): string => String((JSON.parse(body) as { encrypted_data: unknown }).encrypted_data);

describe('webhook_format encrypted', () => {
  it.each(['shop', 'a', 'an id of more than sixty-four characters, which no project has but nobody forbids'])(
    'is decrypted by openssl with the app_id %s',
    (appId) => {
      const text = JSON.stringify({ voice_id: 'call-1', state: 'connected', from: '+33…', note: 'ünïcode ☎' });
      const { body, headers } = encryptedBody(text, appId);
      expect(Object.keys(JSON.parse(body))).toEqual(['encrypted_data']);
      expect(dataOf(body)).toMatch(/^([0-9a-f]{32})+$/);
      expect(openssl(dataOf(body), appId)).toBe(text);
      expect(headers).toEqual({
        'x-algoritm': 'aes-256-cbc',
        'x-algorithm': 'aes-256-cbc',
        'x-format': 'hex',
        'x-encoding': 'utf8',
      });
    },
  );

  it('sends projects that ask for it the same bytes at every attempt, with the signature of those bytes', async () => {
    const rig = new Rig({ isEncrypted: (projectId) => projectId !== 'plain' });
    rig.receive = () =>
      rig.sent.length < 2 ? { status: 500, body: { text: '' } } : { status: 200, body: { text: '' } };
    rig.dispatcher.start();
    await rig.put(['a1']);
    await rig.advance(2000);
    expect(rig.sent).toHaveLength(2);
    const [first, second] = rig.sent;
    expect(first!.body).toBe(second!.body);
    expect(first!.headers).toMatchObject({ 'x-algoritm': 'aes-256-cbc', 'webhook-signature': expect.any(String) });
    expect(JSON.parse(openssl(dataOf(first!.body), 'project-1'))).toBeTypeOf('object');
    await rig.dispatcher.stop();
  });

  it('is not used for other projects', async () => {
    const rig = new Rig({ isEncrypted: () => false });
    rig.dispatcher.start();
    await rig.put(['a1']);
    expect(rig.sent[0]!.body).not.toContain('encrypted_data');
    expect(rig.sent[0]!.headers).not.toHaveProperty('x-algoritm');
    await rig.dispatcher.stop();
  });
});
