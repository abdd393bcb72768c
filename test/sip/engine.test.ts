/** The complete engine: admission, real sockets, a real peer. */
import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import type { LegEvent } from '../../src/base/core/leg.ts';
import { MALFORMED_PER_SECOND } from '../../src/media/telephony/sip/abuse-guard.ts';
import { createSipEngine } from '../../src/media/telephony/sip/engine.ts';
import type { SipEngine, SipEngineOptions } from '../../src/media/telephony/sip/engine-options.ts';
import { headerOf } from '../../src/media/telephony/sip/message.ts';
import { isListening } from '../e2e/sipp.ts';
import { program } from '../programs.ts';
import { FakeMedia } from './fake-media.ts';

import { CallIn, ENGINE_HOST, type FarEnd, PHONE_HOST, Rig, SDP, sdpWith } from './rig.ts';

const sippProgram = program('sipp');

/**
 * Address of this process only. On 127.0.0.1, any port may belong to another connection, also for a minute after its
 * end, and is then refused to sipp.
 */
const SIPP_HOST = `127.${64 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;
const SIPP_PORT = 5070;

const OPTIONS = (branch: string, extra: string[] = []) => [
  'OPTIONS sip:192.0.2.1 SIP/2.0',
  `Via: SIP/2.0/UDP ${PHONE_HOST}:5062;branch=z9hG4bK${branch}`,
  'From: <sip:a@b>;tag=1',
  'To: <sip:192.0.2.1>',
  `Call-ID: ${branch}`,
  'CSeq: 1 OPTIONS',
  ...extra,
];

describe('the user agent', () => {
  let rig: Rig;
  let far: FarEnd;
  const open = async (options?: SipEngineOptions) => {
    rig = await new Rig(options).start();
    far = rig.far();
  };
  afterEach(() => rig.finish());

  it('tells its media the project of each leg', async () => {
    rig = new Rig();
    rig.projectOf = (of) => ('legId' in of && of.legId === 'leg-1' ? 'shop' : undefined);
    await rig.start();
    expect(['leg-1', 'leg-2'].map((legId) => rig.media.projectOf?.(legId))).toEqual(['shop', undefined]);
  });

  it('answers OPTIONS with its capabilities', async () => {
    await open();
    far.send(OPTIONS('x'));
    await rig.settle();
    const ok = far.response(200);
    expect(headerOf(ok, 'allow')).toContain('INVITE, ACK, CANCEL, BYE');
    expect(headerOf(ok, 'accept')).toBe('application/sdp');
    expect(headerOf(ok, 'supported')).toBe('100rel, timer, replaces, norefersub');
    expect(ok.to.params['tag']).toBeDefined();
  });

  it.each([
    ['Max-Forwards used up', ['Max-Forwards: 0'], SDP, '483'],
    ['an unknown extension required', ['Require: timer, magic, 100rel'], SDP, '420'],
    ['another kind of body', ['Content-Type: text/plain'], 'hello', '415'],
    ['a body in an encoding', ['Content-Encoding: gzip'], SDP, '415'],
    ['a malformed description', [], 'v=0\r\nm=audio\r\n', '400'],
    ['a description that is no text of that form', [], '\u0000\u0001', '400'],
    ['no audio', [], SDP.replace('m=audio', 'm=video'), '488'],
    ['encrypted audio', [], SDP.replace('RTP/AVP', 'RTP/SAVP'), '488'],
    ['no codec of ours', [], SDP.replace('8 0 101', '9'), '488'],
    ['G.711 at another rate', [], `${SDP.replace('8 0 101', '96')}a=rtpmap:96 PCMU/16000\r\n`, '488'],
    ['a stream that is switched off', [], SDP.replace('4000', '0'), '488'],
    ['a host name for the media', [], SDP.replace('c=IN IP4 192.0.2.50', 'c=IN IP4 media.example.com'), '488'],
    ['no connection line', [], SDP.replace('c=IN IP4 192.0.2.50\r\n', ''), '400'],
  ])('refuses a call with %s', async (_what, headers, body, status) => {
    await open();
    const call = new CallIn(far);
    call.request('INVITE', { headers, body });
    await rig.settle();
    expect(far.statuses.map((line) => line.slice(0, 3))).toEqual([status]);
    expect(rig.incoming).toEqual([]);
  });

  it('names the unsupported extensions of a request', async () => {
    await open();
    far.send(OPTIONS('x', ['Require: timer, magic', 'Require: more']));
    await rig.settle();
    expect(headerOf(far.response(420), 'unsupported')).toBe('magic, more');
  });

  it('ignores an optional body', async () => {
    await open();
    new CallIn(far).request('INVITE', {
      headers: ['Content-Type: text/plain', 'Content-Disposition: render;handling=optional'],
      body: 'hello',
    });
    await rig.settle();
    expect(rig.incoming).toHaveLength(1);
  });

  it.each([
    ['RTP/AVPF', 'optional', []],
    ['RTP/SAVPF', 'optional', [`a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${'A'.repeat(40)}`]],
  ] as const)('takes %s as its plain form, and answers alike', async (profile, srtp, lines) => {
    await open({ srtp });
    rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'answer' });
    new CallIn(far).invite({ body: sdpWith(...lines).replace('RTP/AVP', profile) });
    await rig.settle();
    expect(far.response(200).body.toString()).toContain(`m=audio 20002 ${profile} 8 101`);
  });

  it('takes dynamic payload types, and mirrors every media line', async () => {
    await open();
    rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'answer' });
    const body = [
      'v=0',
      'o=x 1 1 IN IP4 192.0.2.50',
      's=-',
      't=0 0',
      'm=video 5000 RTP/AVP 31',
      'c=IN IP4 192.0.2.50',
      'm=audio 4000 RTP/AVP 9 97 98',
      'c=IN IP4 192.0.2.51',
      'a=rtpmap:97 pcmu/8000',
      'a=rtpmap:98 Telephone-Event/8000',
      'a=ptime:30',
      'm=audio 4002 RTP/AVP 0',
      'c=IN IP4 192.0.2.50',
      '',
    ].join('\r\n');
    new CallIn(far).invite({ body });
    await rig.settle();
    const media = far
      .response(200)
      .body.toString()
      .split('\r\n')
      .filter((line) => line.startsWith('m='));
    expect(media).toEqual(['m=video 0 RTP/AVP 31', 'm=audio 20002 RTP/AVP 97 98', 'm=audio 0 RTP/AVP 0']);
    expect(rig.media.remote('leg-1')).toMatchObject({
      host: '192.0.2.51',
      payloadType: 97,
      telephoneEventPayloadType: 98,
      ptimeMs: 30,
    });
  });

  it.each([
    ['a=maxptime:10', 10],
    ['a=maxptime:15', 10],
    ['a=ptime:40\r\na=maxptime:30', 30],
    ['a=maxptime:60', 20],
    ['a=maxptime:5', 10],
    ['a=maxptime:often', 20],
  ])('sends packets no longer than the far side takes: %j', async (lines, ptimeMs) => {
    await open();
    rig.onIncoming = ({ legId }) => rig.engine.send(legId, { type: 'answer' });
    const body = ['v=0', 'o=x 1 1 IN IP4 192.0.2.50', 's=-', 'c=IN IP4 192.0.2.50', 't=0 0', 'm=audio 4000 RTP/AVP 0'];
    new CallIn(far).invite({ body: [...body, lines, ''].join('\r\n') });
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ ptimeMs });
    expect(far.response(200).body.toString()).toContain(`a=ptime:${ptimeMs}\r\n`);
  });

  it('replies to the source port with rport, and to the port of Via without', async () => {
    await open();
    const other = rig.far(7777);
    far.send(OPTIONS('a').map((line) => line.replace(':5062', ':7777')));
    await rig.settle();
    expect(other.log).toEqual(['200 OPTIONS']);
    far.send(OPTIONS('b').map((line) => line.replace(':5062;', ':7777;rport;')));
    await rig.settle();
    expect(far.log).toEqual(['200 OPTIONS']);
    expect(headerOf(far.response(200), 'via')).toContain(';rport=5062;');
    expect(headerOf(far.response(200), 'via')).toContain(';received=192.0.2.50');
  });

  it('overwrites a `received` parameter of the sender', async () => {
    await open();
    far.send(OPTIONS('a').map((line) => line.replace(';branch', ';received=10.9.9.9;rport;branch')));
    await rig.settle();
    expect(headerOf(far.response(200), 'via')).not.toContain('10.9.9.9');
  });

  it('does not answer keep-alives', async () => {
    await open();
    for (const text of ['', '\r\n', '\r\n\r\n', '\0\0\0\0']) far.sendBytes(Buffer.from(text));
    await rig.settle();
    expect(far.statuses).toEqual([]);
    expect(rig.engine.counts().malformed).toBe(0);
  });

  it('never answers an ACK', async () => {
    await open();
    new CallIn(far).request('ACK');
    far.send(['ACK sip:x SIP/2.0', 'Via: SIP/2.0/UDP 192.0.2.50:5062', 'CSeq: x']);
    await rig.settle();
    expect(far.statuses).toEqual([]);
  });

  it('logs a source of malformed packets once, soon stops answering it, and still reads valid ones: senders can be forged', async () => {
    await open();
    const junk = () => far.sendBytes(Buffer.from('INVITE x SIP/9.0\r\nVia: SIP/2.0/UDP a;branch=z9hG4bK1\r\n\r\n'));
    for (let n = 0; n < 100; n++) junk();
    await rig.settle();
    expect(rig.engine.counts()).toMatchObject({ malformed: 100, dropped: 0 });
    expect(far.statuses).toHaveLength(MALFORMED_PER_SECOND);
    expect(rig.logged.filter(({ message }) => message === 'sip.malformed')).toHaveLength(1);
    far.send(OPTIONS('x'));
    await rig.settle();
    expect(far.log.at(-1)).toBe('200 OPTIONS');
    await rig.advance(1000);
    far.clear();
    junk();
    await rig.settle();
    expect(far.statuses).toHaveLength(1);
  });

  it('does not ban a source that it has a call with', async () => {
    await open();
    const call = await rig.connected(far);
    for (let n = 0; n < 100; n++) far.sendBytes(Buffer.from('this is not a SIP message at all'));
    call.request('BYE');
    await rig.settle();
    expect(far.log.at(-1)).toBe('200 BYE');
  });

  it('refuses the call when the host throws', async () => {
    await open();
    rig.onIncoming = () => {
      throw new Error('host');
    };
    new CallIn(far).invite();
    await rig.settle();
    expect(far.log).toEqual(['500 INVITE']);
    expect(rig.logged.splice(0).at(-1)).toMatchObject({ level: 'error', message: 'sip.host_failed' });
  });

  it('survives internal errors, by packet and by timer, and logs them once per source', async () => {
    await open();
    rig.net.loses = (_bytes, from) => {
      if (from.host === ENGINE_HOST) throw new Error('inside');
      return false;
    };
    far.send(OPTIONS('a'));
    far.send(OPTIONS('b'));
    new CallIn(far).invite();
    await rig.advance(200);
    expect(rig.engine.counts().crashed).toBe(2);
    expect(rig.logged.splice(0).filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'sip.packet_crashed', fields: { source: 'udp:192.0.2.50:5062' } },
      { message: 'sip.timer_crashed' },
    ]);
    rig.net.loses = () => false;
    far.send(OPTIONS('alive'));
    await rig.settle();
    expect(far.log).toEqual(['200 OPTIONS']);
  });
});

describe('over real sockets', () => {
  const engines: SipEngine[] = [];
  const folders: string[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.stop();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  });

  const start = async (options: SipEngineOptions, onLeg: (engine: SipEngine, legId: string) => void = () => {}) => {
    const events: (LegEvent & { legId: string })[] = [];
    const media = new FakeMedia();
    media.host = options.host ?? '127.0.0.1';
    const engine = createSipEngine(
      { port: 0, ...options },
      { media, clock: systemClock, ids: randomIds, random: Math.random, log: () => {} },
    );
    engines.push(engine);
    await engine.start({
      incoming: ({ legId }) => onLeg(engine, legId),
      event: (legId, event) => events.push({ ...event, legId }),
    });
    return { engine, events, ...engine.address() };
  };
  const answer = (engine: SipEngine, legId: string) => engine.send(legId, { type: 'answer' });

  it.each([
    ['UDP', '127.0.0.1', ''],
    ['TCP', '127.0.0.1', ';transport=tcp'],
    ['UDP over IPv6', '::1', ''],
    ['TCP over IPv6', '::1', ';transport=tcp'],
  ])('lets two engines call each other by %s', async (_what, host, transport) => {
    const callee = await start({ host }, answer);
    const caller = await start({ host, allowSipUris: [host] });
    const place = host.includes(':') ? `[${host}]` : host;
    const to = `sip:100@${place}:${callee.port}${transport}`;
    caller.engine.dial({ legId: 'out', from: '200', to, ringTimeoutMs: 5000 });
    await expect.poll(() => callee.events.map(({ type }) => type)).toEqual(['answered']);
    expect(caller.events.map(({ type }) => type)).toEqual(['answered']);
    callee.engine.send(callee.events[0]!.legId, { type: 'hangup', cause: 16 });
    await expect.poll(() => caller.events.at(-1)).toMatchObject({ type: 'ended', by: 'far', cause: { code: 16 } });
  });

  it('allows an engine to call itself', async () => {
    const one = await start({ allowSipUris: ['127.0.0.1'] }, answer);
    one.engine.dial({ legId: 'out', from: '1', to: `sip:2@127.0.0.1:${one.port}`, ringTimeoutMs: 5000 });
    await expect.poll(() => one.events.filter(({ type }) => type === 'answered')).toHaveLength(2);
  });

  it('rejects the start if a port is in use', async () => {
    const { port } = await start({});
    await expect(start({ port })).rejects.toThrow(/EADDRINUSE/);
    engines.pop();
  });

  it('survives a shower of random datagrams', async () => {
    const { port, engine } = await start({});
    const socket = createSocket('udp4');
    for (let n = 0; n < 200; n++) {
      const bytes = Buffer.alloc(n * 7);
      for (let at = 0; at < bytes.length; at++) bytes[at] = (at * 31 + n * 17) & 0xff;
      socket.send(bytes, port, '127.0.0.1');
    }
    await expect.poll(() => engine.counts().malformed + engine.counts().dropped).toBeGreaterThan(100);
    socket.close();
    expect(engine.counts().crashed).toBe(0);
  });

  describe.skipIf(sippProgram.missing)(`with sipp${sippProgram.why}`, () => {
    const sipp = (args: string[]) =>
      new Promise<{ code: number | null; output: string }>((resolve) => {
        const folder = mkdtempSync(join(tmpdir(), 'callweave-sipp-'));
        folders.push(folder);
        const child = spawn('sipp', [...args, '-nostdin', '-timeout', '20s', '-timeout_error'], { cwd: folder });
        let output = '';
        child.stdout.on('data', (chunk) => {
          output += chunk;
        });
        child.stderr.on('data', (chunk) => {
          output += chunk;
        });
        child.on('close', (code) => resolve({ code, output }));
      });

    it.each([
      ['UDP', 'u1'],
      ['TCP', 't1'],
      ['TCP, a connection per call', 'tn'],
    ])('accepts ten incoming calls by %s', async (_what, mode) => {
      const { port, events, engine } = await start({}, answer);
      const { code, output } = await sipp([
        ...['-sn', 'uac', `127.0.0.1:${port}`, '-t', mode, '-i', '127.0.0.1'],
        ...['-s', '100', '-m', '10', '-r', '50', '-d', '20', '-max_socket', '100'],
      ]);
      expect(code, output).toBe(0);
      await expect.poll(() => engine.counts().legs).toBe(0);
      expect(events.filter(({ type }) => type === 'answered')).toHaveLength(10);
      expect(events.filter((event) => event.type === 'ended' && event.by === 'far')).toHaveLength(10);
    });

    it.each([
      ['UDP', 'udp', 'u1', ''],
      ['TCP', 'tcp', 't1', ';transport=tcp'],
    ] as const)('places an outgoing call by %s', async (_what, protocol, mode, transport) => {
      const leg = 'out';
      const { engine, events } = await start({ allowSipUris: [SIPP_HOST] });
      // The stock scenario, without the four seconds that it waits after the BYE.
      const folder = mkdtempSync(join(tmpdir(), 'callweave-sipp-'));
      folders.push(folder);
      const scenario = join(folder, 'uas.xml');
      const stock = spawnSync('sipp', ['-sd', 'uas'], { encoding: 'utf8' }).stdout;
      writeFileSync(scenario, stock.replace(/<timewait[^>]*>/, ''));
      const done = sipp(['-sf', scenario, '-t', mode, '-i', SIPP_HOST, '-p', String(SIPP_PORT), '-m', '1']);
      const to = `sip:bob@${SIPP_HOST}:${SIPP_PORT}${transport}`;
      await expect
        .poll(() => isListening(SIPP_HOST, SIPP_PORT, protocol), { interval: 20, timeout: 15_000 })
        .toBe(true)
        .catch(async () => expect.fail(`sipp never listened: ${(await done).output}`));
      engine.dial({ legId: leg, from: '1', to, ringTimeoutMs: 10_000 });
      await expect
        .poll(() => events.some(({ type }) => type === 'answered'), { timeout: 8_000 })
        .toBe(true)
        .catch(() => expect.fail(`never answered: ${JSON.stringify({ to, events, counts: engine.counts() })}`));
      engine.send(leg, { type: 'hangup', cause: 16 });
      const { code, output } = await done;
      expect(code, output).toBe(0);
      expect(events.filter(({ legId }) => legId === leg).map(({ type }) => type)).toEqual([
        'ringing',
        'answered',
        'ended',
      ]);
    });
  });
});
