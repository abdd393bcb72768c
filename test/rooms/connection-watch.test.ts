/** Connections that do not come up, in virtual time: made anew, and after some tries their client is informed. */
import { describe, expect, it } from 'vitest';
import { ConnectionWatch } from '../../src/rooms/connection-watch.ts';
import { VirtualClock } from '../../src/testkit/virtual-clock.ts';

function rig() {
  const clock = new VirtualClock();
  const beganMs = clock.monotonicMs();
  /** What happened, and when. */
  const seen: string[] = [];
  const note = (what: string): void => void seen.push(`${(clock.monotonicMs() - beganMs) / 1000} ${what}`);
  const watch = new ConnectionWatch({ clock, renew: () => note('anew'), report: note });
  return { clock, watch, seen };
}

describe('a connection', () => {
  it('that comes up in time is left alone', async () => {
    const { clock, watch, seen } = rig();
    watch.expect(true);
    await clock.advance(4900);
    watch.up();
    watch.expect(true);
    await clock.advance(60_000);
    expect(seen).toEqual(['4.9 up']);
  });

  it('that does not come up is made anew after 5 s; after three in vain it failed, and is tried every 30 s', async () => {
    const { clock, watch, seen } = rig();
    watch.expect(true);
    // Further offers give it no more time.
    await clock.advance(3000);
    watch.expect(true);
    await clock.advance(72_000);
    expect(seen).toEqual([
      ...['5 renewed', '5 anew', '10 renewed', '10 anew', '15 failed', '15 anew'],
      ...['45 anew', '75 anew'],
    ]);
    watch.up();
    await clock.advance(60_000);
    expect(seen.slice(8)).toEqual(['75 up']);
  });

  it('that fails before it was up is made anew at once, but only the first time', async () => {
    const { clock, watch, seen } = rig();
    watch.expect(true);
    await clock.advance(100);
    watch.down();
    watch.down();
    await clock.advance(5000);
    expect(seen).toEqual(['0.1 renewed', '0.1 anew', '5.1 renewed', '5.1 anew']);
  });

  it('that was up and is lost is made anew when its client did not do it', async () => {
    const { clock, watch, seen } = rig();
    watch.expect(true);
    watch.up();
    watch.down();
    await clock.advance(1000);
    watch.up();
    watch.down();
    await clock.advance(5000);
    expect(seen).toEqual(['0 up', '0 down', '1 up', '1 down', '6 renewed', '6 anew']);
  });

  it('by which nothing is to pass is left alone, up or not', async () => {
    const { clock, watch, seen } = rig();
    watch.down();
    watch.expect(true);
    watch.expect(false);
    await clock.advance(60_000);
    watch.up();
    watch.down();
    await clock.advance(60_000);
    expect(seen).toEqual(['60 up', '60 down']);
    watch.expect(true);
    watch.close();
    await clock.advance(60_000);
    expect(seen).toHaveLength(2);
  });
});
