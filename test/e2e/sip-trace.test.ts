/**
 * SIP of calls as an operator finds it: a separate service, real telephones over UDP and TLS, calls that are refused,
 * busy and hung up by either side; then records, journal, trace, the admin API, and a capture file. No file of the
 * service contains a secret.
 */
import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callweave } from '../cli/command.ts';
import { dialogOfInvited, type Message, Phone, SDP_TYPE } from '../engine/phone.ts';
import { filesBelow } from '../files.ts';
import { program } from '../programs.ts';
import { type Service, startService } from './service.ts';
import { watch } from './watch.ts';

const ADDRESS = '127.0.0.131';
const CARRIER = '127.0.0.132';
const CALLER = '127.0.0.133';
const TLS_PORT = 5061;
const TOKEN = 'admin-token-of-the-sip-trace-test';
const PASSWORD = 'known-to-alice-only';
/** SRTP key of a caller. */
const KEY = 'WVNfX19zZW1jdGwgKCkgewkyMjA7fQp9CnVubGVz';
const SECRET_HEADER = 'value-of-a-secret-header';

const FLOW = `
flow: connect
start: connect
defaults: { exits: { error: bye } }
steps:
  connect: { bridge: "+49301234", exits: { completed: bye, failed: bye } }
  bye: { hangup: normal }
`;
const ANSWER = `
flow: answer
start: answer
defaults: { exits: { error: bye } }
steps:
  answer: { answer: {}, next: wait }
  wait: { pause: 1m, next: bye }
  bye: { hangup: normal }
`;

interface ListedCall extends Record<string, unknown> {
  voice_id: string;
  bridges: Record<string, unknown>[];
}

const certificate = (file: string) => join(import.meta.dirname, '../sip/certificates', file);

describe('the SIP of a call', () => {
  let service: Service;
  let directory: string;
  let gateway: Phone;
  let caller: Phone;
  const hep: string[] = [];
  const hepServer = createSocket('udp4');
  hepServer.on('message', (bytes) => hep.push(bytes.toString('latin1')));

  const admin = (path: string) => fetch(service.url + path, { headers: { authorization: `Bearer ${TOKEN}` } });
  const sipOf = async (call: string): Promise<Record<string, string>[]> => {
    const { messages } = (await (await admin(`/admin/v1/calls/${call}/sip`)).json()) as {
      messages: Record<string, string>[];
    };
    return messages;
  };
  const lastCall = async (until: (call: ListedCall) => boolean): Promise<ListedCall> => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const { body } = await service.api('GET', '/voice/v1/call?limit=1');
      const [call] = body['calls'] as ListedCall[];
      if (call && until(call)) return call;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error('the call did not come to that');
  };
  const over = (number: string) => lastCall((call) => call['ended'] !== undefined && call['to'] === number);
  const trace = (...words: string[]) => callweave(['trace', ...words], { cwd: service.directory });

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'callweave-sip-'));
    gateway = await Phone.open(CARRIER, { host: ADDRESS, port: 5060 });
    caller = await Phone.open(CALLER, { host: ADDRESS, port: 5060 });
    await new Promise<void>((resolve) => hepServer.bind(0, CALLER, resolve));
    service = await startService({
      ...{ directory, address: ADDRESS, flows: { 'connect.flow.yaml': FLOW, 'answer.flow.yaml': ANSWER } },
      numbers: [
        { number: '100', flow: 'connect' },
        { number: '200', flow: 'answer' },
      ],
      sip: {
        tls: { port: TLS_PORT, cert: certificate('named.pem'), key: certificate('named.key') },
        users: [{ name: 'alice', password: PASSWORD }],
        routes: [{ prefix: '+49', uri: `sip:${gateway.place}` }],
        headers: { sensitive: ['X-Account'] },
        hep: { host: CALLER, port: hepServer.address().port, capture_id: 7 },
      },
      more: { admin: { token: TOKEN } },
    });
  }, 60_000);
  afterAll(async () => {
    await service?.stop();
    for (const phone of [gateway, caller]) phone?.close();
    hepServer.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const invite = (to: string) => caller.send(caller.request('INVITE', { to, headers: [SDP_TYPE], body: caller.sdp() }));
  const refused = async (status: number, headers: string[]): Promise<ListedCall> => {
    invite('100');
    const atGateway = await gateway.next('INVITE');
    gateway.answer(atGateway, status, { headers });
    return over('100');
  };

  it('shows a refusal with its sender, status and reason in record, journal, trace and message', async () => {
    const call = await refused(488, ['Reason: Q.850;cause=88;text="Incompatible destination"', 'Server: Old Switch']);
    expect(call.bridges).toMatchObject([
      { hangup_by: 'callee', sip_status: 488, sip_reason: 'Q.850;cause=88;text="Incompatible destination"' },
    ]);
    expect(call).toMatchObject({ hangup_by: 'service', sip_call_id: expect.stringMatching(/^call-/) });
    const text = (await trace(call.voice_id, '--details')).out;
    expect(text).toContain('the other side refused (488, Reason: Q.850;cause=88');
    expect(text).toMatch(
      new RegExp(`route file-1, gateway sip:${gateway.place.replaceAll('.', '\\.')}, User-Agent Old Switch`),
    );
    const { legs } = (await (await admin(`/admin/v1/calls/${call.voice_id}/sip`)).json()) as ListedCall;
    expect(legs).toMatchObject([
      { party: '+33612345678', hangup_by: 'service', remote: `udp:${caller.place}` },
      { party: '+49301234', hangup_by: 'callee', route: 'file-1', gateway: `sip:${gateway.place}`, status: 488 },
    ]);
    const lines = (await sipOf(call.voice_id)).map(
      (message) => `${message['direction']} ${message['text']!.split('\r\n')[0]}`,
    );
    expect(lines).toContain('received INVITE sip:100@127.0.0.131:5060 SIP/2.0');
    expect(lines).toContain('received SIP/2.0 488 Whatever');
    expect(lines.filter((line) => /^sent INVITE/.test(line))).toHaveLength(1);
  });

  it('keeps a busy answer with its Reason, shown as a ladder, and written as a capture that tshark reads', async ({
    skip,
  }) => {
    const call = await refused(486, ['Reason: Q.850;cause=17']);
    const voiceId = call.voice_id;
    expect(call.bridges[0]).toMatchObject({ hangup_by: 'callee', sip_status: 486, sip_reason: 'Q.850;cause=17' });
    await stored(voiceId);
    const ladder = (await trace(voiceId, '--sip')).out;
    expect(ladder).toMatch(
      /0\.000 {2}udp {2}127\.0\.0\.133:\d+ +──▶ 127\.0\.0\.131:5060 {2}INVITE sip:100@127\.0\.0\.131:5060, SDP/,
    );
    expect(ladder).toMatch(/127\.0\.0\.132:\d+ +──▶ 127\.0\.0\.131:5060 {2}486 Whatever \(INVITE\)/);
    const file = join(directory, 'busy.pcap');
    expect((await trace(voiceId, '--pcap', file)).code).toBe(0);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const download = Buffer.from(await (await admin(`/admin/v1/calls/${voiceId}/sip?format=pcap`)).arrayBuffer());
    expect(readFileSync(file).equals(download)).toBe(true);
    const tshark = program('tshark');
    if (tshark.missing) skip(tshark.why);
    const args = ['-r', file, '-T', 'fields', '-e', 'ip.src', '-e', 'sip.Status-Code', '-Y', 'sip.Status-Code == 486'];
    const { stdout } = spawnSync('tshark', args, { encoding: 'utf8', env: { ...process.env, HOME: directory } });
    expect(stdout).toContain(`${CARRIER}\t486`);
  });

  /** Waits for the SIP messages of a call, which are stored about a second after its end. */
  const stored = async (call: string) => {
    for (let attempt = 0; attempt < 100 && (await trace(call, '--sip')).code !== 0; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  };

  it('records which side hung up an answered call, and keeps no messages', async () => {
    const { dialog } = await caller.call({ to: '200' });
    caller.send(caller.inDialog('BYE', dialog, { headers: ['Reason: SIP;cause=200;text="done"'] }));
    await caller.next('200 BYE');
    const call = await over('200');
    expect(call).toMatchObject({ hangup_by: 'caller', sip_status: 200, sip_reason: 'SIP;cause=200;text="done"' });
    expect(await sipOf(call.voice_id)).toEqual([]);
    expect((await trace(call.voice_id, '--sip')).err).toContain('no SIP messages of this call are stored');
    await caller.call({ to: '200' });
    const live = await lastCall(({ ended, state }) => ended === undefined && state === 'connected');
    expect((await sipOf(live.voice_id)).length).toBeGreaterThan(2);
    await service.api('DELETE', `/voice/v1/call/${live.voice_id}`);
    const bye = await caller.next('BYE');
    caller.answer(bye, 200);
    expect(await over('200')).toMatchObject({ hangup_by: 'service' });
  });

  it('includes the callee of a bridge', async () => {
    invite('100');
    const atGateway = await gateway.next('INVITE');
    gateway.answer(atGateway, 180);
    gateway.answer(atGateway, 200, { headers: [SDP_TYPE], body: gateway.sdp() });
    caller.acknowledge(await caller.next('200 INVITE'));
    await lastCall(({ state }) => state === 'bridged');
    const ours = (name: string) => atGateway.header(name);
    gateway.send(gateway.inDialog('BYE', dialogOfInvited(atGateway)));
    expect(await over('100')).toMatchObject({
      hangup_by: 'service',
      bridges: [
        { hangup_by: 'callee', sip_status: 200, sip_call_id: ours('call-id'), post_dial_ms: expect.any(Number) },
      ],
    });
    caller.answer(await caller.next('BYE'), 200);
  });

  it('keeps no secret of TLS, SRTP, digest and keys in INFO, in no file of the service', async () => {
    const said = await tlsCall();
    const call = await over('100');
    await stored(call.voice_id);
    const messages = await sipOf(call.voice_id);
    expect(messages.some(({ transport, text }) => transport === 'tls' && text!.startsWith('INVITE'))).toBe(true);
    const all = messages.map(({ text }) => text).join('\n');
    expect(all).toMatch(/response="\*\*\*"/);
    expect(all).toContain(`inline:${'*'.repeat(KEY.length)}`);
    expect(all).toContain('Signal=*');
    expect(all).toContain('X-Account: ***');
    const pcap = Buffer.from(await (await admin(`/admin/v1/calls/${call.voice_id}/sip?format=pcap`)).arrayBuffer());
    writeFileSync(join(directory, 'tls.pcap'), pcap);
    const files = filesBelow(directory, new Set(['callweave.yaml']));
    expect(files.some((file) => file.endsWith('callweave.db'))).toBe(true);
    for (const secret of [KEY, PASSWORD, SECRET_HEADER, said.response, 'Signal=7']) {
      for (const file of files) expect(readFileSync(file).includes(secret), `${secret} in ${file}`).toBe(false);
      expect(
        hep.some((packet) => packet.includes(secret)),
        `${secret} to the capture server`,
      ).toBe(false);
      expect(service.log()).not.toContain(secret);
    }
    expect(hep.some((packet) => packet.startsWith('HEP3') && packet.includes('INVITE sip:100'))).toBe(true);
  });

  it('goes with its call', async () => {
    const call = await refused(480, []);
    await stored(call.voice_id);
    const answer = await fetch(`${service.url}/admin/v1/calls/${call.voice_id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(answer.status).toBe(200);
    expect((await admin(`/admin/v1/calls/${call.voice_id}/sip`)).status).toBe(404);
    const { out, err } = await trace(call.voice_id, '--sip');
    expect(out + err).toContain(`call ${call.voice_id} not found`);
  });

  /** A call of alice with a digest, which presses 7 by INFO and is refused behind the service. */
  async function tlsCall(): Promise<{ response: string }> {
    const line = connect({ host: ADDRESS, port: TLS_PORT, rejectUnauthorized: false });
    const news = watch();
    let heard = '';
    line.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      news.look();
    });
    const until = (pattern: RegExp) =>
      news.until(
        () => pattern.test(heard),
        () => `no ${pattern} in ${heard}`,
        8_000,
      );
    const sdp = `${caller.sdp().replace('RTP/AVP', 'RTP/SAVP')}a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${KEY}\r\n`;
    const write = (method: string, cseq: number, headers: string[], body = '', to = '') => {
      const type = body === '' ? [] : [headers.some((each) => each.startsWith('Content-Type')) ? '' : SDP_TYPE];
      const lines = [
        `${method} sip:100@${ADDRESS} SIP/2.0`,
        `Via: SIP/2.0/TLS ${CALLER}:5999;branch=z9hG4bK-tls-${method}-${cseq};rport`,
        `From: <sip:alice@${ADDRESS}>;tag=tls`,
        `To: <sip:100@${ADDRESS}>${to}`,
        ...[
          'Call-ID: tls-call',
          `CSeq: ${cseq} ${method}`,
          'Max-Forwards: 70',
          `Contact: <sip:alice@${CALLER}:5999;transport=tls>`,
        ],
        ...[
          'X-Account: value-of-a-secret-header',
          ...headers,
          ...type.filter(Boolean),
          `Content-Length: ${body.length}`,
        ],
      ];
      line.write(`${lines.join('\r\n')}\r\n\r\n${body}`);
    };
    write('INVITE', 1, [], sdp);
    await until(/SIP\/2\.0 401 /);
    write('ACK', 1, [], '', /^To: .*(;tag=\S+)/m.exec(heard)![1]);
    const challenge = { text: heard } as Message;
    const options = { from: 'alice', to: '100' };
    const proof = /Authorization: [^\r\n]+/.exec(caller.authorized('INVITE', challenge, options, PASSWORD))![0];
    heard = '';
    write('INVITE', 2, [proof], sdp);
    const atGateway = await gateway.next('INVITE');
    gateway.answer(atGateway, 200, { headers: [SDP_TYPE], body: gateway.sdp() });
    await until(/SIP\/2\.0 200 OK/);
    const tag = /^To: .*(;tag=\S+)/m.exec(heard)![1]!;
    write('ACK', 2, [], '', tag);
    write('INFO', 3, ['Content-Type: application/dtmf-relay'], 'Signal=7\r\nDuration=160\r\n', tag);
    await until(/CSeq: 3 INFO/);
    // The far end is lost, so the call has failed.
    const headers = ['Reason: Q.850;cause=41'];
    gateway.send(gateway.inDialog('BYE', dialogOfInvited(atGateway), { headers }));
    await until(/^BYE /m);
    line.destroy();
    return { response: /response="([^"]+)"/.exec(proof)![1]! };
  }
});
