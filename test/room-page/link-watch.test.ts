/** How soon a network that is gone is noticed, and that media which rest are not taken for it. */
import { describe, expect, it } from 'vitest';
import { LinkWatch } from '../../client/link-watch.js';

/** A link that is looked at twice a second. */
function rig() {
  let [nowMs, bytes] = [0, 0];
  const pings: number[] = [];
  const changes: [isWeak: boolean, atMs: number][] = [];
  const watch = new LinkWatch({
    ping: () => void pings.push(nowMs),
    changed: (isWeak) => void changes.push([isWeak, nowMs]),
  });
  return {
    ...{ pings, changes, watch },
    run(forMs: number, { isCut = false, isStill = false, isDown = false } = {}): void {
      for (const endMs = nowMs + forMs; nowMs < endMs; ) {
        nowMs += 500;
        if (!isCut && !isStill) bytes += 1000;
        const before = pings.length;
        watch.look({ bytes, isDown }, nowMs);
        if (pings.length > before && !isCut) watch.heard(nowMs);
      }
    },
  };
}

describe('watch of a link', () => {
  it('says within 3 s that a network is gone, and at once that it is back', () => {
    const { changes, run } = rig();
    run(10_000);
    run(10_000, { isCut: true });
    run(2000);
    expect(changes).toEqual([
      [true, 12_500],
      [false, 20_500],
    ]);
  });

  it('pings seldom while media rest, and finds nothing wrong', () => {
    const { changes, pings, run } = rig();
    run(5000);
    run(60_000, { isStill: true });
    expect(changes).toEqual([]);
    expect(pings.length).toBeGreaterThan(5);
    expect(pings.length).toBeLessThan(20);
  });

  it('reports a lost network in a room in which media rests', () => {
    const { changes, run } = rig();
    run(20_000, { isStill: true });
    run(10_000, { isCut: true });
    expect(changes.map(([isWeak]) => isWeak)).toEqual([true]);
  });

  it('follows ICE where media alone are cut', () => {
    const { changes, run } = rig();
    run(2000);
    run(1000, { isStill: true, isDown: true });
    run(1000);
    expect(changes.map(([isWeak]) => isWeak)).toEqual([true, false]);
  });
});
