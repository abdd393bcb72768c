/** A subscriber of Janus beside a link that the test plays. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/base/core/json.ts';
import type { JanusNotice } from '../../../src/media/rooms/janus/janus-link.ts';
import type { JanusRoomKey, JanusSource } from '../../../src/media/rooms/janus/janus-source.ts';
import { JanusSubscriber } from '../../../src/media/rooms/janus/janus-subscriber.ts';
import { VirtualClock } from '../../../src/proof/testkit/virtual-clock.ts';

const MID = '0';

/** A subscriber of one camera. */
async function viewing(name: JanusSource['name'] = 'video') {
  const clock = new VirtualClock();
  const source: JanusSource = { owner: 'ben', name, feed: 'feed-1', mid: '1' };
  let notify: (notice: JanusNotice) => void = () => undefined;
  const handle = {
    async ask({ request }: JsonObject) {
      const streams = [{ mid: MID, feed_id: source.feed, feed_mid: source.mid }];
      return request === 'join' ? { data: { streams }, jsep: { type: 'offer', sdp: 'v=0' } } : { data: {} };
    },
    detach: () => undefined,
  };
  const link = {
    async attach(receive: typeof notify) {
      notify = receive;
      return handle;
    },
  };
  const behind: number[] = [];
  const began = clock.monotonicMs();
  const subscriber = new JanusSubscriber(
    { link, room: 'r', pin: 'p', secret: 's' } as unknown as JanusRoomKey,
    { clock, quality: 'HD' },
    {
      ...{ tell: () => undefined, connected: () => undefined, lossy: () => undefined, failed: () => undefined },
      behind: () => behind.push(clock.monotonicMs() - began),
    },
  );
  subscriber.setAudible(new Set(['ben']));
  subscriber.add(source);
  await clock.advance(0);
  const passes = (substream: number): void =>
    notify({ type: 'plugin', message: { data: { videoroom: 'event', mid: MID, substream } } });
  return { clock, subscriber, behind, passes };
}

describe('a subscriber of Janus', () => {
  it('asks for key frames, less and less often, while another layer is let through', async () => {
    const { clock, behind, passes } = await viewing();
    passes(1);
    await clock.advance(60_000);
    expect(behind).toEqual([1500, 4500, 10_500, 22_500]);
  });

  it('asks for none when the layer that it wants is let through', async () => {
    const { clock, behind, passes } = await viewing();
    passes(1);
    passes(2);
    await clock.advance(60_000);
    expect(behind).toEqual([]);
  });

  it('asks again after each change of the layer', async () => {
    const { clock, subscriber, behind, passes } = await viewing();
    passes(2);
    subscriber.setLayer('ben', 'LD');
    passes(0);
    subscriber.setLayer('ben', 'HD');
    await clock.advance(2000);
    passes(2);
    await clock.advance(60_000);
    expect(behind).toEqual([1500]);
  });

  it('asks for none of a camera that is off, of a screen, or after its end', async () => {
    const off = await viewing();
    off.subscriber.setLayer('ben', 'off');
    const screen = await viewing('screen');
    const closed = await viewing();
    closed.subscriber.close();
    for (const { clock } of [off, screen, closed]) await clock.advance(60_000);
    expect([off.behind, screen.behind, closed.behind]).toEqual([[], [], []]);
  });
});
