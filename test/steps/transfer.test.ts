import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { type LineOptions, type LinesOnPaper, linesOf } from './lines-on-paper.ts';

const EXITS = 'exits: { transferred: bye, returned: bye, failed: sorry }';

/** A call in conversation with +441; the event `move` leads to the transfer. */
const talking = async (args = '"+442"', options: LineOptions = {}): Promise<LinesOnPaper> => {
  const lines = await linesOf(
    `
  first: { bridge: "+441", exits: { completed: bye, failed: sorry } }
  move: { transfer: ${args}, ${EXITS} }
  sorry: { pause: 1h, next: bye }`,
    { outbound: true, head: 'events: { event.move: move }', ...options },
  );
  await lines.party('+441').answers();
  return lines;
};

const moved = async (args?: string): Promise<LinesOnPaper> => {
  const lines = await talking(args);
  await lines.call.command({ type: 'event', name: 'move', data: null });
  return lines;
};

const ask = ({ call }: LinesOnPaper, args: JsonObject) =>
  call.command({ type: 'transfer', channelId: 'channel-1', args });

const last = ({ call }: LinesOnPaper) => call.outcomes().filter((outcome) => !outcome.startsWith('bye'));

describe('transfer: attended', () => {
  it('holds the caller with music and lets the old party hear that it rings', async () => {
    const lines = await moved('{ to: "+442", music: "One moment" }');
    expect(lines.caller.hears).toBe('One moment');
    expect(lines.caller.mix).toBeUndefined();
    expect(lines.party('+441').hears).toBe('ringing');
    expect(lines.dialled()).toEqual(['+441', '+442']);
  });

  it('connects the caller with who answers, and lets the old party go', async () => {
    const lines = await moved();
    await lines.party('+442').answers();
    expect(lines.party('+441').hungUp).toBe(16);
    expect(lines.caller.hears).toBeUndefined();
    expect(lines.caller.mix).toBe(lines.party('+442').mix);
    await lines.party('+442').ends();
    expect(last(lines)).toEqual(['first:$event.move', 'move:transferred']);
    expect(lines.bridge()).toEqual(['initiated +441', 'bridged +441', 'bridged +442', 'bridge_disconnected +442 16']);
  });

  it.each([17, 19, 21, 1])(
    'brings the caller back when it fails with %i, and says so after the talk',
    async (cause) => {
      const lines = await moved();
      await lines.party('+442').ends(cause);
      const old = lines.party('+441');
      expect(old.hears).toBeUndefined();
      expect(lines.caller.hears).toBeUndefined();
      expect(lines.caller.mix).toBe(old.mix);
      expect(last(lines)).toEqual(['first:$event.move']);
      await old.ends();
      expect(last(lines)).toEqual(['first:$event.move', 'move:returned']);
    },
  );

  it.each([
    [17, 'busy'],
    [19, 'no_answer'],
    [21, 'declined'],
    [1, 'unreachable'],
  ])('fails when it does (%i), and the old party has left meanwhile', async (cause, word) => {
    const lines = await moved();
    await lines.party('+441').ends();
    expect(last(lines)).toHaveLength(1);
    await lines.party('+442').ends(cause);
    expect(last(lines)).toEqual(['first:$event.move', `move:failed.${word}`]);
    expect(lines.bridge().at(-1)).toBe('bridge_disconnected +441 16');
  });

  it('goes through when the old party has left meanwhile', async () => {
    const lines = await moved();
    await lines.party('+441').ends();
    await lines.party('+442').answers();
    expect(lines.caller.mix).toBe(lines.party('+442').mix);
  });

  it('lets everybody go when the caller hangs up meanwhile', async () => {
    const lines = await moved();
    await lines.caller.ends();
    expect([lines.party('+441').hungUp, lines.party('+442').hungUp]).toEqual([16, 16]);
    expect(last(lines)).toEqual(['first:$event.move', 'move:hangup']);
  });

  it('without anybody to go back to is a bridge', async () => {
    const lines = await linesOf(`
  first: { transfer: "+442", ${EXITS} }
  sorry: { pause: 1h, next: bye }`);
    expect(lines.caller.asked).toEqual(['ring']);
    await lines.party('+442').ends(17);
    expect(last(lines)).toEqual(['first:failed.busy']);
    expect(lines.result()).toMatchObject({ to: null, cause: 17 });
  });

  it('without anybody to go back to connects who answers', async () => {
    const lines = await linesOf(`
  first: { transfer: "+442", ${EXITS} }
  sorry: { pause: 1h, next: bye }`);
    await lines.party('+442').answers();
    await lines.caller.answers();
    await lines.party('+442').ends();
    expect(last(lines)).toEqual(['first:transferred']);
  });
});

describe('transfer: blind', () => {
  it('lets the old party go at once, and the caller hears that it rings', async () => {
    const lines = await moved('{ to: "+442", mode: blind }');
    expect(lines.party('+441').hungUp).toBe(16);
    expect(lines.caller.hears).toBe('ringing');
    await lines.party('+442').early();
    expect(lines.caller.mix).toBe(lines.party('+442').mix);
    await lines.party('+442').answers();
    await lines.party('+442').ends();
    expect(last(lines)).toEqual(['first:$event.move', 'move:transferred']);
  });

  it('has no way back', async () => {
    const lines = await moved('{ to: "+442", mode: blind }');
    await lines.party('+442').ends(19);
    expect(last(lines)).toEqual(['first:$event.move', 'move:failed.no_answer']);
    expect(lines.caller.hears).toBeUndefined();
  });
});

describe('transfer: refer', () => {
  const referred = async (sipStatus: number) => {
    const lines = await moved('{ to: "sip:bob@example.com", mode: refer }');
    const { referId } = lines.caller.last('refer');
    await lines.caller.tell({ type: 'refer_ended', referId, sipStatus });
    return lines;
  };

  it('asks the phone of the caller, and lets it go when it got there', async () => {
    const lines = await referred(200);
    expect(lines.caller.asked).toContain('refer sip:bob@example.com');
    expect(lines.caller.hungUp).toBe(16);
    expect(lines.party('+441').hungUp).toBe(16);
    expect(last(lines)).toEqual(['first:$event.move', 'move:transferred']);
  });

  it('that the phone refuses brings the caller back', async () => {
    const lines = await referred(501);
    expect(lines.caller.mix).toBe(lines.party('+441').mix);
    await lines.party('+441').ends();
    expect(last(lines)).toEqual(['first:$event.move', 'move:returned']);
  });

  it('alone fails in the words of its status', async () => {
    const lines = await linesOf(
      `
  first: { transfer: { to: "sip:bob@example.com", mode: refer }, ${EXITS} }
  sorry: { pause: 1h, next: bye }`,
      { outbound: true },
    );
    const { referId } = lines.caller.last('refer');
    await lines.caller.tell({ type: 'refer_ended', referId, sipStatus: 486 });
    expect(last(lines)).toEqual(['first:failed.busy']);
  });
});

describe('a conversation that REST transfers', () => {
  it('goes on with the new party', async () => {
    const lines = await talking();
    expect(await ask(lines, { to: '+442' })).toEqual({ ok: true });
    expect(lines.caller.hears).toBe('hold_music');
    expect(lines.caller.mix).toBeUndefined();
    await lines.party('+442').answers();
    expect(lines.caller.mix).toBe(lines.party('+442').mix);
    await lines.party('+442').ends();
    expect(last(lines)).toEqual(['first:completed']);
    expect(lines.result()).toMatchObject({ to: '+442' });
  });

  it('is back when nobody answers, and may be transferred again', async () => {
    const lines = await talking();
    await ask(lines, { to: '+442' });
    expect(await ask(lines, { to: '+443' })).toMatchObject({ ok: false });
    await lines.party('+442').ends(19);
    expect(lines.caller.mix).toBe(lines.party('+441').mix);
    await ask(lines, { to: '+443', mode: 'blind' });
    expect(lines.party('+441').hungUp).toBe(16);
    await lines.party('+443').ends(17);
    expect(last(lines)).toEqual(['first:completed']);
  });

  it('is undisturbed by arguments that are none, numbers that are not ours, and prompts that are missing', async () => {
    const lines = await talking();
    await ask(lines, { nonsense: true });
    await ask(lines, { to: '+442', music: 'nowhere' });
    expect(lines.dialled()).toEqual(['+441']);
    await ask(lines, { to: '+442', from: '+999' });
    expect(lines.dialled()).toEqual(['+441']);
    expect(lines.caller.mix).toBe(lines.party('+441').mix);
    expect(lines.caller.hears).toBeUndefined();
    expect(last(lines)).toEqual([]);
  });

  it.each<[string, JsonObject, number | undefined, string, number]>([
    ['nobody answers', { to: '+442' }, 19, '+442', 19],
    ['the number is not ours', { to: '+442', from: '+999' }, undefined, '+442', 3],
    ['the music is missing', { to: ['+442', ['+443']], music: 'nowhere' }, undefined, '+442, +443', 21],
    ['nobody is left to go back to', { to: '+442', mode: 'blind' }, 17, '+442', 17],
  ])('says so when %s, by the id that was answered', async (_why, args, ends, to, cause) => {
    const lines = await talking();
    await ask(lines, { ...args, channel_id: 'channel-1' });
    if (ends !== undefined) await lines.party('+442').ends(ends);
    const told = lines.call.journal().filter(({ kind }) => kind === 'untransferred');
    expect(told).toMatchObject([{ channelId: 'channel-1', bridgeId: expect.any(String), to, cause: { code: cause } }]);
  });

  it('says nothing of failure when it went', async () => {
    const lines = await talking();
    await ask(lines, { to: '+442', channel_id: 'channel-1' });
    await lines.party('+442').answers();
    await lines.party('+442').ends();
    expect(lines.call.journal().some(({ kind }) => kind === 'untransferred')).toBe(false);
  });

  it('comes to an end even where it is passed on and on', async () => {
    const lines = await talking();
    for (let round = 0; round < 25; round++) {
      await ask(lines, { to: '+442', mode: 'attended' });
      if (!lines.party('+441').ended && lines.dialled().length > round + 1) await lines.party('+442').ends(17);
    }
    expect(lines.dialled()).toHaveLength(21);
    expect(lines.caller.mix).toBe(lines.party('+441').mix);
  });
});

describe('a phone that transfers (REFER)', () => {
  const refer = (to: string, replacesLegId?: string) =>
    ({ type: 'referred', referId: 'refer-1', to, ...(replacesLegId ? { replacesLegId } : {}) }) as const;

  it('is told how it goes, and let go when it went', async () => {
    const lines = await talking();
    const old = lines.party('+441');
    await old.tell(refer('+442'));
    expect(old.asked.at(-1)).toBe('refer_progress 100');
    expect(old.hears).toBeUndefined();
    expect(lines.caller.hears).toBe('hold_music');
    await lines.party('+442').answers();
    expect(old.asked.slice(-2)).toEqual(['refer_progress 200', 'hangup 16']);
    expect(lines.caller.mix).toBe(lines.party('+442').mix);
  });

  it('may do so as soon as it has answered, before the caller’s phone has heard of that', async () => {
    const lines = await talking('"+442"', { outbound: false });
    const old = lines.party('+441');
    await old.tell(refer('+442'));
    expect(lines.dialled()).toEqual(['+441']);
    await lines.caller.answers();
    expect(lines.dialled()).toEqual(['+441', '+442']);
    await lines.party('+442').answers();
    expect(old.asked.slice(-2)).toEqual(['refer_progress 200', 'hangup 16']);
    expect(lines.caller.mix).toBe(lines.party('+442').mix);
  });

  it('has the caller back when it failed', async () => {
    const lines = await talking();
    const old = lines.party('+441');
    await old.tell(refer('+442'));
    await lines.party('+442').ends(17);
    expect(old.asked).toContain('refer_progress 486');
    expect(lines.caller.mix).toBe(old.mix);
  });

  it('may leave before it went', async () => {
    const lines = await talking();
    const old = lines.party('+441');
    await old.tell(refer('+442'));
    await old.ends();
    expect(lines.dialled()).toEqual(['+441', '+442']);
    await lines.party('+442').answers();
    expect(lines.caller.mix).toBe(lines.party('+442').mix);
    expect(old.asked).not.toContain('refer_progress 200');
  });

  it('is asked to wait while another transfer is under way', async () => {
    const lines = await talking();
    const old = lines.party('+441');
    await ask(lines, { to: '+442' });
    await old.tell(refer('+443'));
    expect(old.asked.at(-1)).toBe('refer_progress 491');
    await lines.caller.tell(refer('+443'));
    expect(lines.caller.asked).toContain('refer_progress 491');
    expect(lines.dialled()).toEqual(['+441', '+442']);
  });

  it('is refused what is no address', async () => {
    const lines = await talking();
    await lines.party('+441').tell(refer('x'.repeat(300)));
    expect(lines.party('+441').asked.at(-1)).toBe('refer_progress 603');
    expect(lines.caller.mix).toBe(lines.party('+441').mix);
  });

  it('of the caller has the other side called by that side’s own phone', async () => {
    const lines = await talking();
    const old = lines.party('+441');
    await lines.caller.tell(refer('+442'));
    expect(lines.caller.asked.at(-1)).toBe('refer_progress 100');
    const { referId } = old.last('refer');
    await old.tell({ type: 'refer_ended', referId, sipStatus: 200 });
    expect(lines.caller.asked).toContain('refer_progress 200');
    expect(old.hungUp).toBe(16);
    expect(last(lines)).toEqual(['first:completed']);
  });

  it('of the caller is told when the other side cannot do that', async () => {
    const lines = await talking();
    await lines.caller.tell(refer('+442'));
    const old = lines.party('+441');
    await old.tell({ type: 'refer_ended', referId: old.last('refer').referId, sipStatus: 405 });
    expect(lines.caller.asked).toContain('refer_progress 405');
    expect(lines.caller.mix).toBe(old.mix);
    await lines.caller.tell(refer('+442', 'leg-9'));
    expect(lines.caller.asked.at(-1)).toBe('refer_progress 603');
  });

  it('with another call in hand brings that call’s party', async () => {
    const lines = await talking();
    const old = lines.party('+441');
    await old.tell(refer('sip:carol@here', 'leg-9'));
    expect(old.asked.at(-1)).toBe('refer_progress 100');
    lines.call.run.post({ type: 'taken_over', visit: 1, leg: 'leg-8', to: '+443' });
    await lines.call.clock.settle();
    expect(old.asked.slice(-2)).toEqual(['refer_progress 200', 'hangup 16']);
    expect(lines.bridge().at(-1)).toBe('bridged +443');
    expect(lines.stranger('leg-8').mix).toBe(lines.caller.mix);
  });

  it('whose other call is gone keeps this one', async () => {
    const lines = await talking();
    const old = lines.party('+441');
    await old.tell(refer('sip:carol@here', 'leg-9'));
    lines.call.run.post({ type: 'taken_over', visit: 1 });
    await lines.call.clock.settle();
    expect(old.asked.at(-1)).toBe('refer_progress 603');
    expect(lines.caller.mix).toBe(old.mix);
  });
});
