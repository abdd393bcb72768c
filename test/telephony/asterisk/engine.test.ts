/** Calls through Asterisk, with orders of events that a real one shows rarely. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { countingIds } from '../../../src/base/core/ids.ts';
import type { LegCommand, LegEvent } from '../../../src/base/core/leg.ts';
import { AsteriskEngine } from '../../../src/media/telephony/asterisk/engine.ts';
import type { NodeLease } from '../../../src/media/telephony/asterisk/leg-guard.ts';
import { silentAudio } from '../../../src/proof/testkit/silent-audio.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { FakeAri } from './fake-ari.ts';

/** Events arrive within milliseconds, except on a busy machine. */
const SOON = { interval: 2, timeout: 20_000 };
const HELD: NodeLease = { isLeaseValid: () => true, leaseHeldMs: () => Number.POSITIVE_INFINITY };
const play = (playId: string): LegCommand => ({
  ...{ type: 'play', playId },
  audio: [{ type: 'tone', frequencyHz: 440, durationMs: 1000 }],
});

async function site(lease?: NodeLease) {
  const ari = await FakeAri.open();
  const clock = new VirtualClock();
  const directory = mkdtempSync(join(tmpdir(), 'callweave-fake-ari-'));
  const logged: string[] = [];
  const engine = new AsteriskEngine(
    {
      ...{ url: ari.url, user: 'u', secret: 's', application: 'app', trunk: 'carrier', lease },
      ...{ mediaDirectory: directory, recordDirectory: directory },
    },
    { http: ari, audio: silentAudio(), clock, ids: countingIds(), log: (_level, message) => logged.push(message) },
  );
  const incoming: string[] = [];
  const events: { legId: string; event: LegEvent }[] = [];
  await engine.start({
    incoming: ({ legId }) => incoming.push(legId),
    event: (legId, event) => events.push({ legId, event }),
  });
  onTestFinished(async () => {
    const stopped = engine.stop();
    while (engine.legCount > 0) await clock.advance(1000);
    await stopped;
    await ari.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const of = (legId: string): LegEvent[] => events.filter((each) => each.legId === legId).map(({ event }) => event);
  const types = (legId: string): string[] => of(legId).map(({ type }) => type);
  const until = (legId: string, type: LegEvent['type']): Promise<void> =>
    vi.waitFor(() => expect(types(legId)).toContain(type), SOON);
  const asked = (request: string): Promise<void> =>
    vi.waitFor(() => expect(ari.requests.some((each) => each.startsWith(request))).toBe(true), SOON);
  /** As much time as one likes: the web socket is alive all the while. */
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 4000) {
      await clock.advance(Math.min(4000, left));
      await ari.heard();
    }
  };
  const callIn = async (legId: string): Promise<void> => {
    ari.call(legId);
    await vi.waitFor(() => expect(incoming).toContain(legId), SOON);
    engine.send(legId, { type: 'answer' });
    await until(legId, 'answered');
  };
  return { ari, clock, engine, incoming, logged, of, types, until, asked, pass, callIn };
}

describe('an Asterisk whose events come early', () => {
  it('has played a sound before it says that it will: the play ends once', async () => {
    const { ari, engine, of, until, asked, callIn } = await site();
    await callIn('c');
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    ari.on('POST', 'channels/c/play', (path) => {
      const id = path.split('/').at(-1)!;
      ari.say({ type: 'PlaybackStarted', playback: { id } });
      ari.say({ type: 'PlaybackFinished', playback: { id, state: 'done' } });
      return late;
    });
    engine.send('c', play('p'));
    await asked('POST channels/c/play');
    await until('c', 'play_ended');
    resolve(undefined);
    await ari.heard();
    expect(of('c').filter(({ type }) => type === 'play_ended')).toMatchObject([{ reason: 'finished', playId: 'p' }]);
  });

  it('ends a channel before its answer is answered: the leg ends once, with the cause that was said', async () => {
    const { ari, engine, incoming, of, until } = await site();
    ari.on('POST', 'channels/c/answer', () => {
      ari.destroy('c', 17);
      return { status: 404 };
    });
    ari.call('c');
    await vi.waitFor(() => expect(incoming).toEqual(['c']), SOON);
    engine.send('c', { type: 'answer' });
    engine.send('c', play('p'));
    await until('c', 'ended');
    ari.destroy('c');
    await ari.heard();
    expect(of('c')).toMatchObject([{ type: 'play_ended' }, { type: 'ended', cause: { code: 17 }, by: 'far' }]);
    expect(engine.legCount).toBe(0);
  });

  it('connects a party before it says that it dials', async () => {
    const { ari, engine, types, until } = await site();
    ari.on('POST', 'channels/out/dial', async () => {
      ari.say({ type: 'Dial', dialstatus: 'RINGING', peer: { id: 'out' } });
      ari.say({ type: 'ChannelStateChange', channel: { id: 'out', state: 'Up' } });
      await ari.heard();
      return { status: 204 };
    });
    engine.dial({ legId: 'out', from: '1000', to: '+33612', ringTimeoutMs: 20_000 });
    await until('out', 'answered');
    expect(types('out')).toEqual(['ringing', 'answered']);
  });
});

describe('an Asterisk that refuses', () => {
  it('ends the leg after a request for an unknown channel, without an event', async () => {
    const { ari, clock, engine, incoming, of, until, asked } = await site();
    ari.call('c');
    await vi.waitFor(() => expect(incoming).toEqual(['c']), SOON);
    ari.channels.delete('c');
    engine.send('c', { type: 'answer' });
    await asked('POST channels/c/answer');
    await ari.heard();
    await clock.advance(1000);
    await until('c', 'ended');
    expect(of('c')).toMatchObject([{ type: 'ended', cause: { code: 41 }, by: 'network' }]);
  });

  it('retries to dial a channel that it has just created, until it is ready', async () => {
    const { ari, clock, engine, types, of, asked } = await site();
    let refusals = 3;
    ari.on('POST', 'channels/out/dial', () => (refusals-- > 0 ? { status: 409 } : undefined));
    engine.dial({ legId: 'out', from: '1000', to: '+33612', ringTimeoutMs: 20_000 });
    await asked('POST channels/out/dial');
    for (let tries = 0; tries < 4; tries++) await clock.advance(20);
    expect(ari.requests.filter((each) => each.startsWith('POST channels/out/dial'))).toHaveLength(4);
    expect(types('out')).toEqual([]);
    ari.on('POST', 'channels/create', () => ({ status: 500 }));
    engine.dial({ legId: 'none', from: '1000', to: '+33612', ringTimeoutMs: 20_000 });
    await vi.waitFor(() => expect(of('none')).toMatchObject([{ type: 'ended', cause: { code: 41 } }]), SOON);
  });

  it('fails the play, and continues the call', async () => {
    const { ari, engine, of, until, callIn } = await site();
    await callIn('c');
    ari.on('POST', 'channels/c/play', () => ({ status: 500 }));
    engine.send('c', play('p'));
    await until('c', 'play_ended');
    expect(of('c').at(-1)).toMatchObject({ reason: 'failed', fault: { code: 'play_failed' } });
    expect(engine.legCount).toBe(1);
  });
});

describe('a connection that is lost', () => {
  it('ends the legs whose channels ended before the reconnect, and keeps the rest', async () => {
    const { ari, clock, engine, of, types, until, callIn } = await site();
    await callIn('stays');
    await callIn('goes');
    engine.send('stays', play('p'));
    await vi.waitFor(() => expect(ari.playbacks.size).toBe(1), SOON);
    ari.dropSockets();
    await vi.waitFor(() => expect(engine.isConnected).toBe(false), SOON);
    ari.playbacks.clear();
    ari.channels.delete('goes');
    await clock.advance(200);
    await until('goes', 'ended');
    await until('stays', 'play_ended');
    expect(of('goes').at(-1)).toMatchObject({ cause: { code: 41 }, by: 'network' });
    expect(types('stays')).toEqual(['answered', 'play_ended']);
    expect([engine.isConnected, ari.connections]).toEqual([true, 2]);
  });

  it('ends all calls once after ten seconds', async () => {
    const { ari, clock, engine, of, callIn } = await site();
    await callIn('c');
    await ari.close();
    await vi.waitFor(() => expect(engine.isConnected).toBe(false), SOON);
    await clock.advance(10_000);
    await vi.waitFor(() => expect(of('c').at(-1)).toMatchObject({ type: 'ended', cause: { code: 41 } }), {
      interval: 2,
    });
    expect(engine.legCount).toBe(0);
  });

  it('hangs up unknown channels that no node has adopted, among nodes after a minute', async () => {
    const others = { name: 'other', channel_ids: ['taken'] };
    for (const [lease, soonMs, thenMs] of [
      [undefined, 4000, 2000],
      [HELD, 56_000, 8000],
    ] as const) {
      const { ari, clock, engine, pass, callIn } = await site(lease);
      await callIn('mine');
      ari.applications.push({ name: 'app', channel_ids: ['mine', 'mine.r.in', 'orphan', 'taken'] }, others);
      for (const id of ['orphan', 'taken', 'mine.r.in']) ari.channels.set(id, { state: 'Up', variables: new Map() });
      ari.dropSockets();
      await vi.waitFor(() => expect(engine.isConnected).toBe(false), SOON);
      await clock.advance(200);
      await vi.waitFor(() => expect(engine.isConnected).toBe(true), SOON);
      await vi.waitFor(() => expect(ari.requests).toContain('GET applications'), SOON);
      await pass(soonMs);
      expect(ari.channels.has('orphan')).toBe(true);
      await pass(thenMs);
      await vi.waitFor(() => expect(ari.channels.has('orphan')).toBe(false), SOON);
      expect([...ari.channels.keys()]).toEqual(['mine', 'taken', 'mine.r.in']);
    }
  });
});

describe('malformed messages', () => {
  it('are ignored, and end no call', async () => {
    const { ari, engine, types, incoming, callIn } = await site();
    await callIn('c');
    for (const text of [
      ...[
        '',
        'null',
        '[]',
        '17',
        '"x"',
        '{',
        '{"type":7}',
        '{"type":"StasisStart"}',
        '{"type":"StasisStart","channel":[]}',
      ],
      ...['{"type":"ChannelDestroyed","channel":{"id":7}}', '{"type":"ChannelDtmfReceived","channel":{"id":"c"}}'],
      ...['{"type":"ChannelDtmfReceived","digit":"12","channel":{"id":"c"}}', '{"type":"Dial","peer":{"id":"c"}}'],
      ...['{"type":"PlaybackFinished","playback":{"id":"__proto__"}}', '{"type":"PlaybackFinished","playback":{}}'],
      ...[
        '{"type":"RecordingFinished","recording":{"target_uri":9}}',
        '{"type":"ChannelStateChange","channel":{"id":"c"}}',
      ],
      ...['{"type":"ChannelHangupRequest","channel":{"id":"__proto__"},"cause":{}}', '\u0000\ufffd'],
      ...['{"type":"ChannelTalkingFinished","channel":{"id":"c.r.in"}}', `{"type":"${'x'.repeat(100_000)}"}`],
    ]) {
      ari.sayText(text);
    }
    ari.sayText(Buffer.from([0xff, 0xfe, 0x00]));
    await ari.heard();
    expect(types('c')).toEqual(['answered']);
    expect([incoming, engine.legCount, engine.isConnected]).toEqual([['c'], 1, true]);
    ari.sayText(`{"type":"${'x'.repeat(2 ** 20)}"}`);
    await vi.waitFor(() => expect(engine.isConnected).toBe(false), SOON);
    expect(engine.legCount).toBe(1);
  });

  it('are sanitised: the caller is limited in length, without control characters', async () => {
    const { ari, engine, incoming } = await site();
    ari.call('c', { caller: { name: `a\r\nb${'x'.repeat(5000)}`, number: {} }, dialplan: 'none', protocol_id: [] });
    await vi.waitFor(() => expect(incoming).toEqual(['c']), SOON);
    engine.send('c', { type: 'hangup', cause: 16 });
    await vi.waitFor(() => expect(engine.legCount).toBe(0), SOON);
  });

  it('are processed in order for 10,000 events of 2,500 calls, without a leak', async () => {
    const { ari, engine, incoming, types } = await site();
    for (let n = 0; n < 2500; n++) {
      ari.call(`c${n}`);
      ari.say({ type: 'ChannelDtmfReceived', digit: '5', duration_ms: 80, channel: { id: `c${n}` } });
      ari.say({ type: 'ChannelHangupRequest', cause: 16, channel: { id: `c${n}` } });
      ari.destroy(`c${n}`);
    }
    await ari.heard();
    await vi.waitFor(() => expect(engine.legCount).toBe(0), SOON);
    expect(incoming).toHaveLength(2500);
    expect(new Set(incoming.map((legId) => types(legId).join(' ')))).toEqual(new Set(['digit ended']));
  });
});

describe('among nodes', () => {
  it('notes a prompt before it is played, and nothing during the play', async () => {
    const { ari, engine, until, callIn } = await site(HELD);
    await callIn('c');
    const noted = (): string | undefined => ari.channels.get('c')?.variables.get('CW_LEG');
    await vi.waitFor(() => expect(noted()).toBe('1 1'), SOON);
    const seen: (string | undefined)[] = [];
    ari.on('POST', 'channels/c/play', () => void seen.push(noted()));
    engine.send('c', play('p'));
    engine.send('c', { type: 'withhold', on: true });
    await vi.waitFor(() => expect(ari.playbacks.size).toBe(1), SOON);
    expect(seen).toEqual(['1 3']);
    engine.send('c', { type: 'withhold', on: false });
    await ari.heard();
    expect(noted()).toBe('1 3');
    engine.send('c', { type: 'stop_play', playId: 'p' });
    await until('c', 'play_ended');
    await vi.waitFor(() => expect(noted()).toBe('1 5'), SOON);
  });

  it('dials a party on request, exactly once', async () => {
    const { ari, engine, types, until, asked } = await site(HELD);
    engine.dial({ legId: 'out', from: '1000', to: '+33612', ringTimeoutMs: 20_000 });
    await until('out', 'created');
    expect(ari.requests.some((each) => each.startsWith('POST channels/out/dial'))).toBe(false);
    expect((await engine.inspect('out')).state).toBe('created');
    engine.dial({ legId: 'out', from: '1000', to: '+33612', ringTimeoutMs: 20_000 });
    engine.send('out', { type: 'dial' });
    engine.send('out', { type: 'dial' });
    await asked('POST channels/out/dial');
    await ari.heard();
    expect(ari.requests.filter((each) => each.startsWith('POST channels/out/dial'))).toHaveLength(1);
    expect(types('out')).toEqual(['created', 'created']);
    expect((await engine.inspect('out')).state).toBe('ringing');
  });

  it('reports nothing of a lost channel, and leaves one with a higher fence alone', async () => {
    const { ari, engine } = await site(HELD);
    const taken = (legId: string) => ({ legId, isInbound: true, commands: [] });
    await engine.take([taken('gone')], 2);
    expect(await engine.inspect('gone')).toMatchObject({ state: 'none', commands: 0 });
    ari.channels.set('c', { state: 'Up', variables: new Map([['CW_LEG', '5 2']]) });
    await expect(engine.take([taken('c')], 4)).rejects.toThrow('fence 5');
    expect(engine.legCount).toBe(0);
    await engine.take([taken('c')], 6);
    expect(await engine.inspect('c')).toMatchObject({ state: 'connected', commands: 2 });
    await vi.waitFor(() => expect(ari.channels.get('c')!.variables.get('CW_LEG')).toBe('6 2'), SOON);
  });

  it('sends nothing without a lease, and after a gap releases channels taken by others', async () => {
    let lease = { isValid: true, heldMs: Number.POSITIVE_INFINITY };
    const { ari, clock, engine, types, callIn } = await site({
      isLeaseValid: () => lease.isValid,
      leaseHeldMs: () => lease.heldMs,
    });
    await callIn('kept');
    await callIn('lost');
    await ari.heard();
    lease = { isValid: false, heldMs: 0 };
    const before = ari.requests.length;
    for (const legId of ['kept', 'lost']) engine.send(legId, { type: 'join', mixId: 'm' });
    engine.send('lost', { type: 'hangup', cause: 16 });
    await clock.advance(500);
    expect(ari.requests.slice(before).filter((each) => each.includes('lost'))).toEqual([]);
    ari.channels.get('lost')!.variables.set('CW_LEG', '2 4');
    lease = { isValid: true, heldMs: 0 };
    await clock.advance(100);
    await vi.waitFor(() => expect(engine.legCount).toBe(1), SOON);
    expect(ari.requests.some((each) => each.startsWith('DELETE channels/lost'))).toBe(false);
    expect(types('lost')).toEqual(['answered']);
    engine.send('kept', play('p'));
    await vi.waitFor(() => expect(ari.playbacks.size).toBe(1), SOON);
  });
});

describe('a leg that is taken over', () => {
  /** A channel that another node had, which plays its first prompt. */
  const takenSite = async (lease: NodeLease = HELD) => {
    const parts = await site(lease);
    parts.ari.channels.set('c', { state: 'Up', variables: new Map([['CW_LEG', '1 2']]) });
    parts.ari.playbacks.add('c.p.1');
    const taken = { legId: 'c', isInbound: true, commands: [{ type: 'answer' } as LegCommand, play('p')] };
    const take = (): Promise<void> => parts.engine.take([taken], 2);
    const finish = async (): Promise<void> => {
      parts.ari.playbacks.delete('c.p.1');
      parts.ari.say({ type: 'PlaybackFinished', playback: { id: 'c.p.1', target_uri: 'channel:c', state: 'done' } });
      await parts.ari.heard();
    };
    return { ...parts, take, finish };
  };
  const PLAYING = { status: 200, body: { id: 'c.p.1', state: 'playing' } };

  it('ends its prompt when that ends while it is asked for: the event comes before the answer', async () => {
    const { ari, take, finish, until, of } = await takenSite();
    ari.on('GET', 'playbacks/c.p.1', async () => {
      await finish();
      return PLAYING;
    });
    await take();
    await until('c', 'play_ended');
    expect(of('c')).toMatchObject([{ type: 'play_ended', playId: 'p', reason: 'finished' }]);
  });

  it('plays nothing any more when Asterisk knows the prompt still, and has said that it is over', async () => {
    for (const state of ['done', 'failed']) {
      const { ari, engine, take } = await takenSite();
      ari.on('GET', 'playbacks/c.p.1', () => ({ status: 200, body: { id: 'c.p.1', state } }));
      await take();
      const leg = await engine.inspect('c');
      expect([leg.state, leg.commands, leg.isOpen('play p')]).toEqual(['connected', 2, false]);
    }
  });

  it('ends its prompt when the connection was away while it ended', async () => {
    const { ari, clock, engine, take, until } = await takenSite();
    let isFirst = true;
    ari.on('GET', 'playbacks/c.p.1', async () => {
      if (!isFirst) return undefined;
      isFirst = false;
      ari.dropSockets();
      await vi.waitFor(() => expect(engine.isConnected).toBe(false), SOON);
      ari.playbacks.delete('c.p.1');
      await clock.advance(200);
      await vi.waitFor(() => expect(engine.isConnected).toBe(true), SOON);
      return PLAYING;
    });
    await take();
    await until('c', 'play_ended');
  });

  it('has its answer, its keys and its end in order, whenever they come', async () => {
    const { ari, engine, types, until } = await site(HELD);
    ari.channels.set('out', { state: 'Ringing', variables: new Map([['CW_LEG', '1 1']]) });
    ari.on('GET', 'channels/out', async (path) => {
      if (path !== 'channels/out') return undefined;
      ari.say({ type: 'ChannelStateChange', channel: { id: 'out', state: 'Up' } });
      ari.say({ type: 'ChannelDtmfReceived', digit: '5', duration_ms: 80, channel: { id: 'out' } });
      await ari.heard();
      return { status: 200, body: { id: 'out', state: 'Ringing' } };
    });
    await engine.take([{ legId: 'out', isInbound: false, commands: [{ type: 'dial' }] }], 2);
    expect(await engine.inspect('out')).toMatchObject({ state: 'connected' });
    await until('out', 'digit');
    expect(types('out')).toEqual(['ringing', 'answered', 'digit']);
    ari.destroy('out');
    await until('out', 'ended');
  });

  it('is left as it is, to be taken again, when Asterisk answers something not at all', async () => {
    const questions: [method: string, path: string][] = [
      ['GET', 'channels/c/variable'],
      ['POST', 'applications/app/subscription'],
      ['GET', 'channels/c'],
      ['GET', 'playbacks/c.p.1'],
      ['GET', 'playbacks/c.p.7'],
    ];
    for (const [method, path] of questions) {
      const { ari, engine, take, finish, until } = await takenSite();
      let isSilent = true;
      ari.on(method, path, (asked) => (isSilent && asked === path ? { status: 0 } : undefined));
      await expect(take(), path).rejects.toThrow('Asterisk does not');
      expect(engine.legCount).toBe(0);
      isSilent = false;
      await take();
      expect((await engine.inspect('c')).isOpen('play p')).toBe(true);
      await finish();
      await until('c', 'play_ended');
    }
  });

  it('is heard again after a loss of the connection, though another one has ended meanwhile', async () => {
    const { ari, clock, engine, take, finish, until } = await takenSite();
    await take();
    ari.channels.set('gone', { state: 'Up', variables: new Map([['CW_LEG', '1 1']]) });
    await engine.take([{ legId: 'gone', isInbound: true, commands: [] }], 2);
    ari.channels.delete('gone');
    const before = ari.requests.length;
    ari.dropSockets();
    await vi.waitFor(() => expect(engine.isConnected).toBe(false), SOON);
    await clock.advance(200);
    await until('gone', 'ended');
    expect(ari.requests.slice(before)).toContain('POST applications/app/subscription?eventSource=channel%3Ac');
    await finish();
    await until('c', 'play_ended');
  });
});
