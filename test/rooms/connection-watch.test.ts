/**
 * Connections that are not established, in virtual time: they are restarted, and after some attempts the client is
 * informed.
 */
import { describe, expect, it } from 'vitest';
import { ConnectionWatch } from '../../src/media/rooms/connection-watch.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';

function rig() {
  const clock = new VirtualClock();
  const beganMs = clock.monotonicMs();
  /** Events with their time. */
  const seen: string[] = [];
  const note = (what: string): void => void seen.push(`${(clock.monotonicMs() - beganMs) / 1000} ${what}`);
  const watch = new ConnectionWatch({ clock, renew: () => note('anew'), report: note });
  return { clock, watch, seen };
}

describe('a connection', () => {
  it('is left alone once it is established in time', async () => {
    const { clock, watch, seen } = rig();
    watch.expect(true);
    await clock.advance(4900);
    watch.up();
    watch.expect(true);
    await clock.advance(60_000);
    expect(seen).toEqual(['4.9 up']);
  });

  it('is restarted after 5 s, reported as failed after three attempts, and then retried every 30 s', async () => {
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

  it('is restarted at once after an early failure, but only the first time', async () => {
    const { clock, watch, seen } = rig();
    watch.expect(true);
    await clock.advance(100);
    watch.down();
    watch.down();
    await clock.advance(5000);
    expect(seen).toEqual(['0.1 renewed', '0.1 anew', '5.1 renewed', '5.1 anew']);
  });

  it('is restarted after a loss if its client does not restart it', async () => {
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

  it('is left alone, established or not, if it carries no media', async () => {
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
