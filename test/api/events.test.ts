/** Events as they arrive at a receiver: in order, after the response, and in the format of the project. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { connected, openRig } from './rigs.ts';

describe('events', () => {
  it.each<[string, string, object, string]>([
    ['PUT', 'connect', { from: '1000', to: '4000' }, 'bridging'],
    ['PUT', 'play', { text: 'Hello there' }, 'playfinished'],
    ['DELETE', '', {}, 'disconnected'],
  ])('%s /%s: sends the response before the first event of the command', async (method, route, body, first) => {
    const { rig, call } = await connected({ callee: { does: 'answer' } });
    const seen: string[] = [];
    rig.answerEvent = ({ body: told }) => {
      seen.push(String(told['playstate'] ?? told['state']));
      return { status: 200 };
    };
    const path = `/voice/v1/call/${call}${route === '' ? '' : `/${route}`}`;
    const asked = rig.request(method, path, body).then(() => seen.push('response'));
    await rig.pass(3000);
    await asked;
    expect(seen.slice(0, 2)).toEqual(['response', first]);
  });

  it('transcripts: sends an event for each utterance', async () => {
    const flow = `
flow: writes
start: write
steps:
  write: { transcribe: start, exits: { started: wait, failed: bye } }
  wait: { pause: 20s, next: bye }
  bye: { hangup: normal }
`;
    const rig = await openRig({ flows: { writes: flow } });
    await rig.dial({ flow: 'writes' });
    await rig.pass(2000);
    rig.farEnd('2000').say('good morning');
    await rig.pass(5000);
    expect(rig.events().at(-1)).toMatchObject({
      state: 'transcribed',
      track: 'inbound',
      text: 'good morning',
      confidence: expect.any(Number),
    });
  });

  it('webhook_format encrypted: sends events that openssl decrypts with the app_id', async () => {
    const projects = 'projects: [{ app_id: shop, app_key: key-of-the-shop-0001, webhook_format: encrypted }]\n';
    const rig = await openRig({ projects, config: 'numbers: [{ number: "1000" }]\n' });
    const call = await rig.dial();
    await rig.pass(500);
    const [told] = rig.received;
    expect(told?.headers).toMatchObject({
      'x-algoritm': 'aes-256-cbc',
      'x-algorithm': 'aes-256-cbc',
      'x-format': 'hex',
      'x-encoding': 'utf8',
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    const encrypted = Buffer.from(String(told?.body['encrypted_data']), 'hex');
    const options = ['enc', '-d', '-aes-256-cbc', '-md', 'md5', '-nosalt', '-k', 'shop'];
    const text = execFileSync('openssl', options, { input: encrypted, stdio: ['pipe', 'pipe', 'ignore'] }).toString();
    expect(JSON.parse(text)).toMatchObject({ voice_id: call, state: 'ringing', from: '1000', to: '2000' });
  });

  it('refuses event URLs that point to the API of the service', async () => {
    const { rig } = await connected();
    const dial = { from: '1000', to: '2000' };
    for (const host of ['127.0.0.1', '127.1.2.3', '[::ffff:127.0.0.1]', '0.0.0.0']) {
      const url = `http://${host}:${new URL(rig.base).port}/voice/v1/call`;
      const { status, body } = await rig.request('POST', '/voice/v1/call', { ...dial, event_url: url });
      expect([host, status, body['state']]).toEqual([host, 400, 'failed']);
    }
    // A host name is checked only once it is resolved.
    const named = `http://localhost:${new URL(rig.base).port}/voice/v1/call`;
    expect((await rig.request('POST', '/voice/v1/call', { ...dial, event_url: named })).status).toBe(200);
    await rig.pass(5000);
    const attempts = rig.logLines.filter(
      ({ message, fields }) => message === 'delivery.attempted' && fields['deathCause'],
    );
    expect(attempts[0]?.fields).toMatchObject({ deathCause: 'refused' });
    expect(rig.logLines.find(({ message }) => message === 'service.started')?.fields).toMatchObject({
      allowPrivate: 'loopback',
    });
  });
});
