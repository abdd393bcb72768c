import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import { type ScriptedLegOptions, type ScriptedLegs, startLegs } from './scripted-legs.ts';

const EXITS = 'exits: { transferred: bye, returned: bye, failed: sorry }';

/** A call in conversation with +441; the event `move` leads to the transfer. */
const talking = async (args = '"+442"', options: ScriptedLegOptions = {}): Promise<ScriptedLegs> => {
  const legs = await startLegs(
    `
  first: { bridge: "+441", exits: { completed: bye, failed: sorry } }
  move: { transfer: ${args}, ${EXITS} }
  sorry: { pause: 1h, next: bye }`,
    { outbound: true, head: 'events: { event.move: move }', ...options },
  );
  await legs.party('+441').answers();
  return legs;
};

const moved = async (args?: string): Promise<ScriptedLegs> => {
  const legs = await talking(args);
  await legs.call.command({ type: 'event', name: 'move', data: null });
  return legs;
};

const ask = ({ call }: ScriptedLegs, args: JsonObject) =>
  call.command({ type: 'transfer', channelId: 'channel-1', args });

const last = ({ call }: ScriptedLegs) => call.outcomes().filter((outcome) => !outcome.startsWith('bye'));

describe('transfer: attended', () => {
  it('plays music to the caller, and ringing to the old party', async () => {
    const legs = await moved('{ to: "+442", music: "One moment" }');
    expect(legs.caller.hears).toBe('One moment');
    expect(legs.caller.mix).toBeUndefined();
    expect(legs.party('+441').hears).toBe('ringing');
    expect(legs.dialled()).toEqual(['+441', '+442']);
  });

  it('connects the caller with the party that answers, and hangs up the old one', async () => {
    const legs = await moved();
    await legs.party('+442').answers();
    expect(legs.party('+441').hungUp).toBe(16);
    expect(legs.caller.hears).toBeUndefined();
    expect(legs.caller.mix).toBe(legs.party('+442').mix);
    await legs.party('+442').ends();
    expect(last(legs)).toEqual(['first:$event.move', 'move:transferred']);
    expect(legs.bridge()).toEqual(['initiated +441', 'bridged +441', 'bridged +442', 'bridge_disconnected +442 16']);
  });

  it.each([17, 19, 21, 1])(
    'brings the caller back when it fails with %i, and says so after the talk',
    async (cause) => {
      const legs = await moved();
      await legs.party('+442').ends(cause);
      const old = legs.party('+441');
      expect(old.hears).toBeUndefined();
      expect(legs.caller.hears).toBeUndefined();
      expect(legs.caller.mix).toBe(old.mix);
      expect(last(legs)).toEqual(['first:$event.move']);
      await old.ends();
      expect(last(legs)).toEqual(['first:$event.move', 'move:returned']);
    },
  );

  it.each([
    [17, 'busy'],
    [19, 'no_answer'],
    [21, 'declined'],
    [1, 'unreachable'],
  ])('fails with cause %i when the old party has left meanwhile', async (cause, word) => {
    const legs = await moved();
    await legs.party('+441').ends();
    expect(last(legs)).toHaveLength(1);
    await legs.party('+442').ends(cause);
    expect(last(legs)).toEqual(['first:$event.move', `move:failed.${word}`]);
    expect(legs.bridge().at(-1)).toBe('bridge_disconnected +441 16');
  });

  it('succeeds when the old party has left meanwhile', async () => {
    const legs = await moved();
    await legs.party('+441').ends();
    await legs.party('+442').answers();
    expect(legs.caller.mix).toBe(legs.party('+442').mix);
  });

  it('hangs up all parties when the caller hangs up meanwhile', async () => {
    const legs = await moved();
    await legs.caller.ends();
    expect([legs.party('+441').hungUp, legs.party('+442').hungUp]).toEqual([16, 16]);
    expect(last(legs)).toEqual(['first:$event.move', 'move:hangup']);
  });

  it('is a bridge when there is no held party', async () => {
    const legs = await startLegs(`
  first: { transfer: "+442", ${EXITS} }
  sorry: { pause: 1h, next: bye }`);
    expect(legs.caller.asked).toEqual(['ring']);
    await legs.party('+442').ends(17);
    expect(last(legs)).toEqual(['first:failed.busy']);
    expect(legs.result()).toMatchObject({ to: null, cause: 17 });
  });

  it('connects the party that answers when there is no held party', async () => {
    const legs = await startLegs(`
  first: { transfer: "+442", ${EXITS} }
  sorry: { pause: 1h, next: bye }`);
    await legs.party('+442').answers();
    await legs.caller.answers();
    await legs.party('+442').ends();
    expect(last(legs)).toEqual(['first:transferred']);
  });
});

describe('transfer: blind', () => {
  it('hangs up the old party at once, and plays ringing to the caller', async () => {
    const legs = await moved('{ to: "+442", mode: blind }');
    expect(legs.party('+441').hungUp).toBe(16);
    expect(legs.caller.hears).toBe('ringing');
    await legs.party('+442').early();
    expect(legs.caller.mix).toBe(legs.party('+442').mix);
    await legs.party('+442').answers();
    await legs.party('+442').ends();
    expect(last(legs)).toEqual(['first:$event.move', 'move:transferred']);
  });

  it('does not return to the old party', async () => {
    const legs = await moved('{ to: "+442", mode: blind }');
    await legs.party('+442').ends(19);
    expect(last(legs)).toEqual(['first:$event.move', 'move:failed.no_answer']);
    expect(legs.caller.hears).toBeUndefined();
  });
});

describe('transfer: refer', () => {
  const referred = async (sipStatus: number) => {
    const legs = await moved('{ to: "sip:bob@example.com", mode: refer }');
    const { referId } = legs.caller.last('refer');
    await legs.caller.emit({ type: 'refer_ended', referId, sipStatus });
    return legs;
  };

  it('asks the caller’s phone, and hangs up when that succeeded', async () => {
    const legs = await referred(200);
    expect(legs.caller.asked).toContain('refer sip:bob@example.com');
    expect(legs.caller.hungUp).toBe(16);
    expect(legs.party('+441').hungUp).toBe(16);
    expect(last(legs)).toEqual(['first:$event.move', 'move:transferred']);
  });

  it('returns the caller when the phone refuses', async () => {
    const legs = await referred(501);
    expect(legs.caller.mix).toBe(legs.party('+441').mix);
    await legs.party('+441').ends();
    expect(last(legs)).toEqual(['first:$event.move', 'move:returned']);
  });

  it('fails by the SIP status when there is no held party', async () => {
    const legs = await startLegs(
      `
  first: { transfer: { to: "sip:bob@example.com", mode: refer }, ${EXITS} }
  sorry: { pause: 1h, next: bye }`,
      { outbound: true },
    );
    const { referId } = legs.caller.last('refer');
    await legs.caller.emit({ type: 'refer_ended', referId, sipStatus: 486 });
    expect(last(legs)).toEqual(['first:failed.busy']);
  });
});

describe('a conversation that REST transfers', () => {
  it('continues with the new party', async () => {
    const legs = await talking();
    expect(await ask(legs, { to: '+442' })).toEqual({ ok: true });
    expect(legs.caller.hears).toBe('hold_music');
    expect(legs.caller.mix).toBeUndefined();
    await legs.party('+442').answers();
    expect(legs.caller.mix).toBe(legs.party('+442').mix);
    await legs.party('+442').ends();
    expect(last(legs)).toEqual(['first:completed']);
    expect(legs.result()).toMatchObject({ to: '+442' });
  });

  it('returns the call if the new party does not answer, and can be repeated', async () => {
    const legs = await talking();
    await ask(legs, { to: '+442' });
    expect(await ask(legs, { to: '+443' })).toMatchObject({ ok: false });
    await legs.party('+442').ends(19);
    expect(legs.caller.mix).toBe(legs.party('+441').mix);
    await ask(legs, { to: '+443', mode: 'blind' });
    expect(legs.party('+441').hungUp).toBe(16);
    await legs.party('+443').ends(17);
    expect(last(legs)).toEqual(['first:completed']);
  });

  it('is not disturbed by invalid arguments, foreign numbers and missing prompts', async () => {
    const legs = await talking();
    await ask(legs, { nonsense: true });
    await ask(legs, { to: '+442', music: 'nowhere' });
    expect(legs.dialled()).toEqual(['+441']);
    await ask(legs, { to: '+442', from: '+999' });
    expect(legs.dialled()).toEqual(['+441']);
    expect(legs.caller.mix).toBe(legs.party('+441').mix);
    expect(legs.caller.hears).toBeUndefined();
    expect(last(legs)).toEqual([]);
  });

  it.each<[string, JsonObject, number | undefined, string, number]>([
    ['nobody answers', { to: '+442' }, 19, '+442', 19],
    ['the number is not ours', { to: '+442', from: '+999' }, undefined, '+442', 3],
    ['the music is missing', { to: ['+442', ['+443']], music: 'nowhere' }, undefined, '+442, +443', 21],
    ['nobody is left to go back to', { to: '+442', mode: 'blind' }, 17, '+442', 17],
  ])('reports the failure with its channel id when %s', async (_why, args, ends, to, cause) => {
    const legs = await talking();
    await ask(legs, { ...args, channel_id: 'channel-1' });
    if (ends !== undefined) await legs.party('+442').ends(ends);
    const told = legs.call.journal().filter(({ kind }) => kind === 'untransferred');
    expect(told).toMatchObject([{ channelId: 'channel-1', bridgeId: expect.any(String), to, cause: { code: cause } }]);
  });

  it('reports no failure when it succeeded', async () => {
    const legs = await talking();
    await ask(legs, { to: '+442', channel_id: 'channel-1' });
    await legs.party('+442').answers();
    await legs.party('+442').ends();
    expect(legs.call.journal().some(({ kind }) => kind === 'untransferred')).toBe(false);
  });

  it('allows a limited number of transfers', async () => {
    const legs = await talking();
    for (let round = 0; round < 25; round++) {
      await ask(legs, { to: '+442', mode: 'attended' });
      if (!legs.party('+441').ended && legs.dialled().length > round + 1) await legs.party('+442').ends(17);
    }
    expect(legs.dialled()).toHaveLength(21);
    expect(legs.caller.mix).toBe(legs.party('+441').mix);
  });
});

describe('a phone that transfers (REFER)', () => {
  const refer = (to: string, replacesLegId?: string) =>
    ({ type: 'referred', referId: 'refer-1', to, ...(replacesLegId ? { replacesLegId } : {}) }) as const;

  it('receives progress, and is hung up on success', async () => {
    const legs = await talking();
    const old = legs.party('+441');
    await old.emit(refer('+442'));
    expect(old.asked.at(-1)).toBe('refer_progress 100');
    expect(old.hears).toBeUndefined();
    expect(legs.caller.hears).toBe('hold_music');
    await legs.party('+442').answers();
    expect(old.asked.slice(-2)).toEqual(['refer_progress 200', 'hangup 16']);
    expect(legs.caller.mix).toBe(legs.party('+442').mix);
  });

  it('transfers as soon as it has answered, before the caller is connected', async () => {
    const legs = await talking('"+442"', { outbound: false });
    const old = legs.party('+441');
    await old.emit(refer('+442'));
    expect(legs.dialled()).toEqual(['+441']);
    await legs.caller.answers();
    expect(legs.dialled()).toEqual(['+441', '+442']);
    await legs.party('+442').answers();
    expect(old.asked.slice(-2)).toEqual(['refer_progress 200', 'hangup 16']);
    expect(legs.caller.mix).toBe(legs.party('+442').mix);
  });

  it('gets the caller back on failure', async () => {
    const legs = await talking();
    const old = legs.party('+441');
    await old.emit(refer('+442'));
    await legs.party('+442').ends(17);
    expect(old.asked).toContain('refer_progress 486');
    expect(legs.caller.mix).toBe(old.mix);
  });

  it('allows a hang-up before the transfer is done', async () => {
    const legs = await talking();
    const old = legs.party('+441');
    await old.emit(refer('+442'));
    await old.ends();
    expect(legs.dialled()).toEqual(['+441', '+442']);
    await legs.party('+442').answers();
    expect(legs.caller.mix).toBe(legs.party('+442').mix);
    expect(old.asked).not.toContain('refer_progress 200');
  });

  it('is asked to wait while another transfer is under way', async () => {
    const legs = await talking();
    const old = legs.party('+441');
    await ask(legs, { to: '+442' });
    await old.emit(refer('+443'));
    expect(old.asked.at(-1)).toBe('refer_progress 491');
    await legs.caller.emit(refer('+443'));
    expect(legs.caller.asked).toContain('refer_progress 491');
    expect(legs.dialled()).toEqual(['+441', '+442']);
  });

  it('is refused an invalid address', async () => {
    const legs = await talking();
    await legs.party('+441').emit(refer('x'.repeat(300)));
    expect(legs.party('+441').asked.at(-1)).toBe('refer_progress 603');
    expect(legs.caller.mix).toBe(legs.party('+441').mix);
  });

  it('makes the phone of the other side place the call, if the caller asks', async () => {
    const legs = await talking();
    const old = legs.party('+441');
    await legs.caller.emit(refer('+442'));
    expect(legs.caller.asked.at(-1)).toBe('refer_progress 100');
    const { referId } = old.last('refer');
    await old.emit({ type: 'refer_ended', referId, sipStatus: 200 });
    expect(legs.caller.asked).toContain('refer_progress 200');
    expect(old.hungUp).toBe(16);
    expect(last(legs)).toEqual(['first:completed']);
  });

  it('reports a refusal by the phone of the other side to the caller', async () => {
    const legs = await talking();
    await legs.caller.emit(refer('+442'));
    const old = legs.party('+441');
    await old.emit({ type: 'refer_ended', referId: old.last('refer').referId, sipStatus: 405 });
    expect(legs.caller.asked).toContain('refer_progress 405');
    expect(legs.caller.mix).toBe(old.mix);
    await legs.caller.emit(refer('+442', 'leg-9'));
    expect(legs.caller.asked.at(-1)).toBe('refer_progress 603');
  });

  it('connects the party of its second call', async () => {
    const legs = await talking();
    const old = legs.party('+441');
    await old.emit(refer('sip:carol@here', 'leg-9'));
    expect(old.asked.at(-1)).toBe('refer_progress 100');
    legs.call.run.post({ type: 'taken_over', visit: 1, leg: 'leg-8', to: '+443' });
    await legs.call.clock.settle();
    expect(old.asked.slice(-2)).toEqual(['refer_progress 200', 'hangup 16']);
    expect(legs.bridge().at(-1)).toBe('bridged +443');
    expect(legs.stranger('leg-8').mix).toBe(legs.caller.mix);
  });

  it('keeps this call when its other call is gone', async () => {
    const legs = await talking();
    const old = legs.party('+441');
    await old.emit(refer('sip:carol@here', 'leg-9'));
    legs.call.run.post({ type: 'taken_over', visit: 1 });
    await legs.call.clock.settle();
    expect(old.asked.at(-1)).toBe('refer_progress 603');
    expect(legs.caller.mix).toBe(old.mix);
  });
});
