import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSwitchboard } from '../../examples/08-embed/switchboard.ts';
import { countingIds } from '../../src/base/core/ids.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { SimulatedEngine, silentAudio, VirtualClock } from '../../src/proof/testkit/index.ts';
import { promptNames } from '../../src/proof/testkit/prompt-names.ts';
import { createMemoryStore } from '../memory-store.ts';

test('08-embed: plays a number to a caller of the embedded service', async () => {
  const clock = new VirtualClock();
  const engine = new SimulatedEngine({ clock, ids: countingIds(), audio: silentAudio() });
  const app = await openSwitchboard(mkdtempSync(join(tmpdir(), 'callweave-embed-')), {
    clock,
    store: createMemoryStore(),
    log: silentLog,
    telephony: { engine, sounds: { refusal: () => undefined } },
  });
  await app.start();
  try {
    const caller = engine.call({ from: '+33612345678', to: '3000' });
    // The first evaluation takes turns of its own on a busy machine, and no time of this clock.
    for (let second = 0; second < 60 && caller.state !== 'ended'; second++) await clock.advance(1_000);
    expect(promptNames(caller.heard)).toEqual([expect.stringMatching(/^Your lucky number is \d\d\.$/)]);
    expect(caller.state).toBe('ended');
  } finally {
    const stopped = app.stop(0);
    await clock.advance(60_000);
    await stopped;
  }
});
