/** An unknown caller chooses the destination of audio: it must not be possible to direct it at third parties. */
import { describe, expect, it } from 'vitest';
import type { MediaRemote } from '../../src/media/telephony/media/media-port.ts';
import { items, packetOf, REMOTE, rig, tone } from '../media/rig.ts';
import { CallIn, PHONE_HOST, Rig, SDP } from '../sip/rig.ts';

const MUSIC = { playId: 'p', items: items([tone(440, 1000)]), repeat: true };
const HALF_A_MINUTE = 1500;

const stranger = (more: Partial<MediaRemote> = {}) => {
  const made = rig({ remote: { isUnverified: true, ...more } });
  made.leg.output.play(MUSIC);
  return made;
};

/** A receiver report of a real listener (RFC 3550 §6.4.2). */
const REPORT = Uint8Array.from([0x80, 201, 0, 1, 0, 0, 0, 99]);

describe('audio to an address without any received packet', () => {
  it('ends after 30 s, however often the destination is repeated', () => {
    const { leg, sent, run } = stranger();
    run(29_000);
    expect(sent).toHaveLength(1450);
    run(10_000);
    expect(sent).toHaveLength(HALF_A_MINUTE);
    for (let port = 5000; port < 5010; port++) {
      leg.connect({ ...REMOTE, port, isUnverified: true }, 0);
      run(1000);
    }
    expect(sent).toHaveLength(HALF_A_MINUTE);
  });

  it('resumes with the first audio from the destination', () => {
    const { sent, receive, run } = stranger();
    run(60_000);
    receive(packetOf({}, new Uint8Array(160)));
    run(1000);
    expect(sent).toHaveLength(HALF_A_MINUTE + 50);
    run(60_000);
    expect(sent).toHaveLength(HALF_A_MINUTE + 3050);
  });

  it('continues after a report from the destination: some phones only listen', () => {
    const { leg, sent, nowMs, run } = stranger();
    leg.receiveControl(REPORT, REMOTE.host, nowMs);
    run(60_000);
    expect(sent).toHaveLength(2 * HALF_A_MINUTE);
  });

  it('ignores packets from other addresses', () => {
    const { leg, sent, receive, run } = stranger({ otherHost: '192.0.2.9' });
    receive(REPORT, { host: '192.0.2.9' });
    receive(packetOf({}, new Uint8Array(160)), { host: '192.0.2.66' });
    leg.receiveControl(Uint8Array.from([1, 2, 3]), REMOTE.host, 0);
    run(60_000);
    expect(sent).toHaveLength(HALF_A_MINUTE);
  });

  it('is not limited for known callers', () => {
    const { sent, run } = stranger({ isUnverified: false });
    run(60_000);
    expect(sent).toHaveLength(2 * HALF_A_MINUTE);
  });
});

describe('audio of an incoming call', () => {
  it.each<[string, string, object, true | undefined]>([
    ['goes where a stranger calls from', PHONE_HOST, {}, undefined],
    ['has to be heard from anywhere else', '198.51.100.7', {}, true],
    ['goes where a carrier says', '198.51.100.7', { routes: [{ prefix: '+', uri: `sip:${PHONE_HOST}` }] }, undefined],
  ])('is sent to a proven address: it %s', async (_what, host, options, mustBeHeard) => {
    const rig = await new Rig(options).start();
    await rig.settle();
    new CallIn(rig.far()).invite({ body: SDP.replaceAll(PHONE_HOST, host) });
    await rig.settle();
    rig.engine.send('leg-1', { type: 'answer' });
    await rig.settle();
    expect(rig.media.remote('leg-1')).toMatchObject({ host });
    expect(rig.media.remote('leg-1')?.isUnverified).toBe(mustBeHeard);
    await rig.finish();
  });
});
