/** Objects provisioned by the administrator reach the SIP engine of the running service. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfigText } from '../../src/config.ts';
import { parseMessage } from '../../src/media/telephony/sip/parser.ts';
import { answerChallenge } from '../../src/media/telephony/sip/proofs.ts';

const TOKEN = 'a-token-of-the-administrator';
const CONFIG = `
flows_directory: .
http: { port: 0 }
sip: { host: 127.0.0.32, port: 0 }
projects: [{ app_id: shop, app_key: key-of-the-shop-0001 }]
numbers: [{ number: "1000" }]
admin: { token: ${TOKEN} }
`;

it('applies a phone and a route of the admin API at once, and after the next start', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'callweave-provisioning-'));
  const { config } = readConfigText(CONFIG, join(directory, 'callweave.yaml'));
  const phone = createSocket('udp4');
  phone.bind(0, '127.0.0.33');
  await once(phone, 'listening');
  let app = await createApp(config!);
  let { http, sip } = await app.start();

  const put = async (path: string, body: object): Promise<number> => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const url = `http://127.0.0.1:${http.port}/admin/v1${path}`;
    return (await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) })).status;
  };
  const dial = async (to: string): Promise<number> => {
    const authorization = `Basic ${Buffer.from('shop:key-of-the-shop-0001').toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ from: '1000', to });
    return (await fetch(`http://127.0.0.1:${http.port}/voice/v1/call`, { method: 'POST', headers, body })).status;
  };
  /** Messages in order of arrival; a waiting test takes the first. */
  const arrived: string[] = [];
  let wake = (): void => {};
  phone.on('message', (bytes) => {
    arrived.push(bytes.toString('latin1'));
    wake();
  });
  const arrival = async (start: string): Promise<string> => {
    for (;;) {
      const index = arrived.findIndex((text) => text.startsWith(start));
      if (index >= 0) return arrived.splice(index, 1)[0]!;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  let cseq = 0;
  const register = async (more: string[] = []) => {
    cseq += 1;
    const place = `127.0.0.33:${phone.address().port}`;
    const lines = [
      'REGISTER sip:callweave SIP/2.0',
      `Via: SIP/2.0/UDP ${place};branch=z9hG4bK-${cseq}`,
      'From: <sip:alice@callweave>;tag=a',
      'To: <sip:alice@callweave>',
      'Call-ID: registration-of-alice',
      `CSeq: ${cseq} REGISTER`,
      `Contact: <sip:alice@${place}>`,
      'Max-Forwards: 70',
      ...more,
      'Content-Length: 0',
    ];
    phone.send(`${lines.join('\r\n')}\r\n\r\n`, sip!.port, sip!.host);
    const parsed = parseMessage(Buffer.from(await arrival('SIP/2.0 '), 'latin1'));
    if (parsed.kind !== 'response') throw new Error('that is no response');
    return parsed.response;
  };
  const signIn = async (password: string): Promise<number> => {
    const challenge = await register();
    const request = { method: 'REGISTER', uri: 'sip:callweave' };
    const [name, value] = answerChallenge(challenge, request, { username: 'alice', password }, 'cnonce')!;
    return (await register([`${name}: ${value}`])).status;
  };

  try {
    await dial('user:alice');
    await dial('+4930123');
    expect(await signIn('wonderland-1')).toBe(403);
    expect(await put('/users/alice', { password: 'wonderland-1' })).toBe(200);
    const gateways = [`sip:127.0.0.33:${phone.address().port}`];
    expect(await put('/routes/germany', { prefix: '+49', gateways })).toBe(200);
    expect(await signIn('wonderland-1')).toBe(200);
    // Earlier calls had no route.
    expect(arrived).toEqual([]);
    await dial('user:alice');
    await arrival('INVITE sip:alice@127.0.0.33');
    await dial('+4930123');
    await arrival('INVITE sip:+4930123@127.0.0.33');

    await app.stop(0);
    app = await createApp(config!);
    ({ http, sip } = await app.start());
    arrived.length = 0;
    expect(await signIn('wonderland-1')).toBe(200);
    await dial('+4930124');
    await arrival('INVITE sip:+4930124@127.0.0.33');
  } finally {
    phone.close();
    await app.stop(0);
  }
});
