/**
 * Telephones in the embedded engine, in virtual time: audio from browsers to the mix of telephones and back; decoding
 * and encoding. Opus is simulated by numbers: a packet is the value of its samples.
 */
import { describe, expect, it } from 'vitest';
import { MediaSession } from '../../../src/media/rooms/embedded/media-session.ts';
import { libopus, type Opus } from '../../../src/media/rooms/embedded/opus.ts';
import { PhoneMix } from '../../../src/media/rooms/embedded/phone-mix.ts';
import { type EngineEvent, PHONES } from '../../../src/media/rooms/sfu.ts';
import { FRAME_SAMPLES } from '../../../src/media/toolbox/audio/sample-rate.ts';
import { readRtp } from '../../../src/media/toolbox/rtp/packet.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';
import { concat, tone } from '../../media/rig.ts';
import { amplitudeAt } from '../../speech/sounds.ts';
import { browser, CONCEALED, countedOpus, MADE_OF_NEXT } from './sounding-browsers.ts';

const AT = { port: 9, key: '00' };
async function mixRig(opus: Opus) {
  const clock = new VirtualClock();
  /** Audio sent to telephones, and from telephones to browsers. */
  const toPhones: Int16Array[] = [];
  const packets: Buffer[] = [];
  const warnings: string[] = [];
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
  };
  let say: (pcm: Int16Array) => void = () => undefined;
  const mix = new PhoneMix(AT, {
    ...{ clock, opus },
    link: (_at, heard) => {
      say = heard;
      return { send: (pcm) => void toPhones.push(pcm.slice()), close };
    },
    warn: (message) => void warnings.push(message),
  });
  const listen = () =>
    mix.source.listeners.add({ onPacket: ({ bytes }) => void packets.push(bytes), muted: () => undefined });
  await clock.advance(0);
  return {
    ...{ clock, mix, toPhones, packets, warnings, listen },
    isClosed: () => isClosed,
    say: (value: number) => say(new Int16Array(FRAME_SAMPLES).fill(value)),
    /** First sample of each frame, without silent frames. */
    values: () => toPhones.map(([value]) => value).filter((value) => value !== 0),
    async run(frames: number, each: () => void = () => undefined) {
      for (let index = 0; index < frames; index++) {
        each();
        await clock.advance(20);
      }
    },
  };
}

describe('telephones', () => {
  it('are sent the sum of the audible browsers, with one decoder each', async () => {
    const { opus, count } = countedOpus();
    const rig = await mixRig(opus);
    const [ada, ben, eve] = [browser(rig.clock, 'ada'), browser(rig.clock, 'ben'), browser(rig.clock, 'eve')];
    rig.mix.setHeard([ada.source, ben.source]);
    await rig.clock.advance(0);
    const talk = (): void => {
      ada.say(100);
      ben.say(30);
      eve.say(7);
    };
    await rig.run(20, talk);
    expect(new Set(rig.values())).toEqual(new Set([130]));
    expect(rig.values().length).toBeGreaterThan(15);
    expect([rig.mix.decoders, count.decoders]).toEqual([2, 2]);
    rig.mix.setHeard([ben.source]);
    rig.toPhones.length = 0;
    await rig.run(5, talk);
    expect(rig.values()).toEqual([30, 30, 30, 30, 30]);
    expect([count.decoders, ada.source.listeners.size]).toEqual([1, 0]);
    rig.mix.close();
    expect([count, ben.source.listeners.size, rig.isClosed()]).toMatchObject([{ decoders: 0, encoders: 0 }, 0, true]);
  });

  it('are given a clipped sum of two loud browsers', async () => {
    const { opus } = countedOpus();
    const rig = await mixRig(opus);
    const [ada, ben] = [browser(rig.clock, 'ada'), browser(rig.clock, 'ben')];
    rig.mix.setHeard([ada.source, ben.source]);
    await rig.clock.advance(0);
    await rig.run(10, () => {
      ada.say(30_000);
      ben.say(30_000);
    });
    expect(rig.values().at(-1)).toBe(32_767);
  });

  it('are given concealed audio for lost packets; late packets and non-Opus packets count as lost', async () => {
    const { opus } = countedOpus();
    const rig = await mixRig(opus);
    const ada = browser(rig.clock, 'ada');
    rig.mix.setHeard([ada.source]);
    await rig.clock.advance(0);
    await rig.run(3, () => ada.say(100));
    ada.lose(2);
    ada.say(200);
    ada.give(Buffer.from('garbage'));
    ada.say(300);
    await rig.run(10);
    expect(rig.values()).toEqual([100, 100, 100, CONCEALED, 200 + MADE_OF_NEXT, 200, 300]);
  });

  it('is silent for the audio of a muted browser until it is unmuted', async () => {
    const { opus } = countedOpus();
    const rig = await mixRig(opus);
    const ada = browser(rig.clock, 'ada');
    rig.mix.setHeard([ada.source]);
    await rig.clock.advance(0);
    await rig.run(5, () => ada.say(100));
    ada.source.setMuted(true);
    await rig.run(5, () => ada.say(200));
    ada.source.setMuted(false);
    await rig.run(20, () => ada.say(300));
    expect([...new Set(rig.values())]).toEqual([100, 300]);
  });
});

describe('browsers', () => {
  it('are sent telephones as one source, which pauses during silence', async () => {
    const { opus, count } = countedOpus();
    const rig = await mixRig(opus);
    rig.listen();
    await rig.run(20, () => rig.say(0));
    expect([count.encoded, rig.packets]).toEqual([0, []]);
    await rig.run(20, () => rig.say(55));
    await rig.run(40, () => rig.say(0));
    await rig.run(20, () => rig.say(66));
    const sent = rig.packets.map((bytes) => ({ ...readRtp(bytes)!, value: bytes.readInt16BE(12) }));
    expect([...new Set(sent.map(({ value }) => value))]).toEqual([55, 0, 66]);
    expect(sent.map(({ sequence }) => sequence)).toEqual(sent.map((_, index) => index + 1));
    // A pause is a jump of the time stamp, which the first packet after it marks.
    const marked = sent.filter(({ marker }) => marker);
    expect(marked.map(({ value }) => value)).toEqual([55, 66]);
    expect((marked[1]!.timestamp - marked[0]!.timestamp) / 960).toBe(60);
  });

  it('are sent nothing if there are none: no encoding happens', async () => {
    const { opus, count } = countedOpus();
    const rig = await mixRig(opus);
    await rig.run(10, () => rig.say(55));
    expect(count.encoded).toBe(0);
  });

  it('are sent nothing if Opus is unavailable, which logs a warning', async () => {
    const broken = () => Promise.reject(new Error('no memory'));
    const rig = await mixRig({ decoder: broken, encoder: broken });
    rig.listen();
    rig.mix.setHeard([browser(rig.clock, 'ada').source]);
    await rig.run(10, () => rig.say(55));
    expect([rig.packets, rig.warnings]).toEqual([[], ['Opus cannot be used', 'Opus cannot be used']]);
  });
});

describe('a session', () => {
  const ICE = ['a=ice-ufrag:u', `a=ice-pwd:${'p'.repeat(22)}`, 'a=fingerprint:sha-256 AA:BB', 'a=setup:actpass'];
  const AUDIO = ['m=audio 9 UDP/TLS/RTP/SAVPF 111', 'a=mid:0', 'a=sendonly', 'a=rtpmap:111 opus/48000/2'];
  const OFFER = ['v=0', ...AUDIO, ...ICE, 'a=ssrc:5 cname:x', ''].join('\r\n');
  const ICE_OF_OURS = { ufrag: 'o', password: 'q'.repeat(22), fingerprint: 'sha-256 CC:DD', setup: 'active' };
  const endpoint = { ice: ICE_OF_OURS, setup: 'active', candidates: [] };

  function sessionRig() {
    const clock = new VirtualClock();
    const { opus, count } = countedOpus();
    const events: EngineEvent[] = [];
    const session = new MediaSession(
      { confNum: '1', quality: 'HD' },
      {
        ...{ clock, opus },
        open: () => ({
          ...{ isOpen: true, send: () => undefined, close: () => undefined, answered: () => true },
          offer: async () => endpoint,
          answer: async () => endpoint,
        }),
        link: () => ({ send: () => undefined, close: () => undefined }),
        report: (event) => void events.push(event),
        warn: (message, error) => expect.fail(`${message}: ${error}`),
      },
    );
    const grants = { publish: ['audio'], subscribe: true } as const;
    return {
      ...{ count, session, clock },
      async enter(participant: string) {
        session.command({ type: 'admit', participant, grants, isPhone: false });
        const message = { type: 'pub.offer', sdp: OFFER, sources: { 0: 'audio' } } as const;
        session.command({ type: 'negotiate', participant, message });
        await clock.advance(0);
      },
      /** Owner of the audio that was last offered to the participant. */
      offered: (participant: string) =>
        events
          .flatMap((event) => (event.type === 'negotiate' && event.participant === participant ? [event.message] : []))
          .flatMap((message) =>
            message.type === 'sub.offer' ? [message.tracks.map((track) => track.participant)] : [],
          )
          .at(-1),
    };
  }

  it('decodes nothing without telephones, and each audible browser once with them', async () => {
    const rig = sessionRig();
    await rig.enter('ada');
    await rig.enter('ben');
    rig.session.command({ type: 'set_audible', participants: ['ada', 'ben'] });
    await rig.clock.advance(100);
    expect(rig.count).toMatchObject({ decoders: 0, encoders: 0 });
    rig.session.command({ type: 'attach_phones', at: AT });
    await rig.clock.advance(100);
    expect(rig.count).toMatchObject({ decoders: 2, encoders: 1 });
    await rig.enter('eve');
    rig.session.command({ type: 'set_audible', participants: ['ada', 'eve'] });
    await rig.clock.advance(0);
    expect(rig.count.decoders).toBe(2);
    rig.session.command({ type: 'set_audible', participants: ['ada'] });
    rig.session.command({ type: 'drop', participant: 'ada' });
    expect(rig.count.decoders).toBe(0);
    rig.session.command({ type: 'detach_phones' });
    expect(rig.count).toMatchObject({ decoders: 0, encoders: 0 });
  });

  it('offers telephones to all subscribers, whenever they join, and withdraws them', async () => {
    const rig = sessionRig();
    await rig.enter('ada');
    rig.session.command({ type: 'attach_phones', at: AT });
    await rig.enter('ben');
    await rig.clock.advance(0);
    expect(rig.offered('ada')).toEqual([PHONES]);
    expect(rig.offered('ben')).toEqual(['ada', PHONES]);
    await rig.session.close();
    expect(rig.count).toMatchObject({ decoders: 0, encoders: 0 });
  });
});

describe('libopus', () => {
  it('carries a tone, also with packet loss, and refuses non-Opus packets', async () => {
    const [encoder, decoder] = [await libopus.encoder(), await libopus.decoder()];
    const said = tone(440, 2000, 8000);
    const heard: Int16Array[] = [];
    for (let frame = 0; frame < 100; frame++) {
      const packet = encoder.encode(said.slice(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES));
      if (frame % 20 === 10) continue;
      if (frame % 20 === 11) heard.push(decoder.recover(packet, FRAME_SAMPLES));
      heard.push(decoder.decode(packet));
    }
    const all = concat(heard);
    expect(all).toHaveLength(said.length);
    expect(amplitudeAt(440, all)).toBeGreaterThan(6000);
    expect(decoder.conceal(FRAME_SAMPLES)).toHaveLength(FRAME_SAMPLES);
    expect(() => decoder.decode(Buffer.alloc(0))).toThrow();
    expect(() => decoder.decode(Buffer.from('03ff', 'hex'))).toThrow();
    encoder.free();
    decoder.free();
  });
});
