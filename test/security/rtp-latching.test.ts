/**
 * RTP latching: a sender at the right address cannot redirect the audio of a call to its own port, nor be heard; the
 * phone of the call is not disturbed.
 */
import { describe, expect, it } from 'vitest';
import type { MediaRemote } from '../../src/media/telephony/media/media-port.ts';
import { SrtpDirection, TAG_BYTES } from '../../src/media/toolbox/rtp/srtp.ts';
import { items, packetOf, REMOTE, rig, tone } from '../media/rig.ts';
import { CallIn, PHONE_HOST, Rig, SDP } from '../sip/rig.ts';

const NAMED = REMOTE.port;
const BEHIND_NAT = 40_000;
const THEIRS = 6666;
const MUSIC = { playId: 'p', items: items([tone(440, 1000)]), repeat: true };

/** Sends packets from a port, with an SSRC of its own. */
class Sender {
  readonly #port: number;
  readonly #ssrc: number;
  readonly #seal: SrtpDirection | undefined;
  #sequence = 65_534;

  constructor(port: number, ssrc: number, key?: Uint8Array) {
    this.#port = port;
    this.#ssrc = ssrc;
    this.#seal = key && new SrtpDirection(key);
  }

  packet(): Uint8Array {
    this.#sequence = (this.#sequence + 1) & 0xffff;
    const plain = packetOf({ sequence: this.#sequence, ssrc: this.#ssrc }, new Uint8Array(160));
    if (!this.#seal) return plain;
    const sealed = new Uint8Array(plain.length + TAG_BYTES);
    sealed.set(plain);
    this.#seal.protectRtp(sealed, 12);
    return sealed;
  }

  skip(): void {
    this.#sequence++;
  }

  say(receive: ReturnType<typeof rig>['receive'], atMs?: number): void {
    receive(this.packet(), { port: this.#port, ...(atMs === undefined ? {} : { atMs }) });
  }
}

function call(remote: Partial<MediaRemote> = {}) {
  const made = rig({ remote });
  made.leg.output.play(MUSIC);
  const { leg, sent, receive, run } = made;
  return {
    leg,
    receive,
    /** Waits for the next packet interval; returns the target of our audio. */
    next(...senders: Sender[]): string | undefined {
      for (const sender of senders) sender.say(receive);
      run(20);
      return sent.at(-1)?.to.split(':')[1];
    },
    pause: run,
    heard: () => leg.counts.received,
  };
}

const phone = (port = NAMED, key?: Uint8Array) => new Sender(port, 0xcafe, key);
const adversary = (port = THEIRS, key?: Uint8Array) => new Sender(port, 0xbad, key);

describe('audio of a phone that sends from its described port', () => {
  it('stays there, whatever packets arrive from elsewhere, and however long the phone is silent', () => {
    const { next, pause, heard } = call();
    const [honest, other] = [phone(), adversary()];
    expect(next(honest)).toBe('4000');
    for (let n = 0; n < 500; n++) expect(next(other)).toBe('4000');
    pause(60_000);
    for (let n = 0; n < 500; n++) expect(next(other)).toBe('4000');
    expect(heard()).toBe(1);
    expect(next(honest)).toBe('4000');
    expect(heard()).toBe(2);
  });

  it('is heard packet by packet while another port sends ten times as many', () => {
    const { next, heard } = call();
    const [honest, other] = [phone(), adversary()];
    next(honest);
    for (let n = 2; n <= 100; n++) {
      const crowd = Array.from({ length: 10 }, () => other);
      expect(next(...crowd, honest, ...crowd)).toBe('4000');
      expect(heard()).toBe(n);
    }
  });

  it('is restored at once if another port was faster, and stays then', () => {
    const { next, heard } = call();
    const [honest, other] = [phone(), adversary()];
    for (let n = 0; n < 3; n++) next(other);
    expect(next(other)).toBe('6666');
    const before = heard();
    expect(next(honest, other)).toBe('4000');
    expect(heard()).toBe(before + 1);
    for (let n = 0; n < 200; n++) expect(next(other)).toBe('4000');
  });

  it('moves with a re-INVITE, and packets in flight from the old port do not move it back', () => {
    const { leg, next, pause, heard } = call();
    const [honest, late, other] = [phone(), phone(), adversary()];
    next(honest, late);
    leg.connect({ ...REMOTE, port: 4100 }, 20);
    for (let n = 0; n < 10; n++) expect(next(late)).toBe('4100');
    const moved = new Sender(4100, 0xcafe);
    expect(next(moved)).toBe('4100');
    pause(60_000);
    const before = heard();
    for (let n = 0; n < 200; n++) expect(next(late, other)).toBe('4100');
    expect(heard()).toBe(before);
  });

  it('stays after a re-INVITE that names the same port', () => {
    const { leg, next } = call();
    const [honest, other] = [phone(), adversary()];
    next(honest);
    leg.connect({ ...REMOTE, ptimeMs: 30 }, 20);
    leg.connect(REMOTE, 20);
    for (let n = 0; n < 200; n++) expect(next(other)).toBe('4000');
  });
});

describe('audio of a phone behind a router that translates its port', () => {
  const translated = { isTranslated: true } as const;

  it.each([
    ['a private address was described', translated],
    ['a public one', {}],
  ])('follows three consecutive packets from one port: %s', (_what, more) => {
    const { next, heard } = call(more);
    const honest = phone(BEHIND_NAT);
    expect(next(honest)).toBe('4000');
    expect(next(honest)).toBe('4000');
    expect(next(honest)).toBe('40000');
    expect(heard()).toBe(1);
    next(honest);
    expect(heard()).toBe(2);
  });

  it.each<[what: string, odd: (other: Sender, n: number) => Sender]>([
    ['every packet with an SSRC of its own', (_other, n) => new Sender(THEIRS, n)],
    ['every packet from a port of its own', (_other, n) => new Sender(THEIRS + n, 7)],
    [
      'packets with gaps',
      (other) => {
        other.skip();
        return other;
      },
    ],
  ])('does not follow a sender of many packets without three consecutive ones: %s', (_what, odd) => {
    const { next, heard } = call(translated);
    const other = adversary();
    for (let n = 0; n < 200; n++) expect(next(odd(other, n))).toBe('4000');
    expect(heard()).toBe(0);
  });

  it.each<[order: string, senders: (honest: Sender, other: Sender) => Sender[]]>([
    ['in turn', (honest, other) => [honest, other]],
    ['in turn, from the port of the phone with another SSRC', (honest) => [honest, new Sender(BEHIND_NAT, 0xbad)]],
    ['with many SSRCs in between', (honest) => [honest, ...Array.from({ length: 9 }, (_, n) => new Sender(THEIRS, n))]],
  ])('finds the phone beside an attacker who sends at the same time: %s', (_what, senders) => {
    const { next } = call(translated);
    const [honest, other] = [phone(BEHIND_NAT), adversary()];
    next(...senders(honest, other));
    next(...senders(honest, other));
    for (let n = 0; n < 200; n++) expect(next(...senders(honest, other))).toBe('40000');
  });

  it('is not taken over while the phone speaks, in any order of packets', () => {
    const { next, heard } = call(translated);
    const [honest, other] = [phone(BEHIND_NAT), adversary()];
    for (let n = 0; n < 3; n++) next(honest);
    const before = heard();
    for (let n = 0; n < 100; n++) {
      expect(next(other, other, other, honest, other, other, other)).toBe('40000');
      expect(heard()).toBe(before + n + 1);
    }
  });

  it('follows the phone to the port that the router assigns after a pause', () => {
    const { next, pause } = call(translated);
    const honest = phone(BEHIND_NAT);
    for (let n = 0; n < 3; n++) next(honest);
    pause(2_000);
    const again = new Sender(40_002, 0xcafe);
    next(again);
    next(again);
    expect(next(again)).toBe('40002');
  });

  it('follows the phone although a packet was duplicated', () => {
    const { next, receive } = call(translated);
    const honest = phone(BEHIND_NAT);
    for (let n = 0; n < 2; n++) {
      const packet = honest.packet();
      receive(packet, { port: BEHIND_NAT });
      receive(packet, { port: BEHIND_NAT });
    }
    expect(next()).toBe('4000');
    expect(next(honest)).toBe('40000');
  });

  it('moves again after a packet from the described port, because the router chooses the port', () => {
    const { next, pause } = call(translated);
    expect(next(phone())).toBe('4000');
    pause(2_000);
    const moved = phone(BEHIND_NAT);
    next(moved);
    next(moved);
    expect(next(moved)).toBe('40000');
  });
});

describe('audio of an encrypted call', () => {
  const KEYS = { local: Buffer.alloc(30, 1), remote: Buffer.alloc(30, 2) };

  it('does not move for packets with a wrong key', () => {
    const { next, heard } = call({ srtp: KEYS, isTranslated: true });
    const [honest, other, plain] = [
      phone(BEHIND_NAT, KEYS.remote),
      adversary(THEIRS, Buffer.alloc(30, 3)),
      adversary(),
    ];
    for (let n = 0; n < 200; n++) expect(next(other, plain)).toBe('4000');
    next(other, honest, plain);
    next(other, honest, plain);
    expect(next(other, honest, plain)).toBe('40000');
    expect(heard()).toBe(1);
  });

  it.each([
    ['the port that was named', NAMED, {}],
    ['a port behind a router', BEHIND_NAT, { isTranslated: true }],
  ] as const)('is heard although copies of its packets arrive first from elsewhere: %s', (_what, port, more) => {
    const { next, receive, heard } = call({ srtp: KEYS, ...more });
    const honest = phone(port, KEYS.remote);
    for (let n = 0; n < 3; n++) next(honest);
    const before = heard();
    for (let n = 1; n <= 100; n++) {
      const packet = honest.packet();
      receive(packet, { port: THEIRS });
      receive(packet, { port });
      expect(next()).toBe(String(port));
      expect(heard()).toBe(before + n);
    }
  });
});

describe('address in signalling', () => {
  const connected = async (host: string) => {
    const rig = await new Rig().start();
    await rig.settle();
    new CallIn(rig.far()).invite({ body: SDP.replaceAll(PHONE_HOST, host) });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    const remote = rig.media.remote('leg-1');
    await rig.finish();
    return remote;
  };

  it.each([
    ['names it', PHONE_HOST, undefined],
    ['describes a private address from a public one', '192.168.1.20', true],
  ])('decides about the destination of audio: %s', async (_what, host, isTranslated) => {
    const remote = await connected(host);
    expect(remote).toMatchObject({ host: PHONE_HOST });
    expect(remote?.isTranslated).toBe(isTranslated);
  });
});
