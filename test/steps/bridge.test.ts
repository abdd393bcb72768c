import { describe, expect, it } from 'vitest';
import { type ScriptedLegOptions, startLegs } from './scripted-legs.ts';

const EXITS = 'exits: { completed: bye, failed: sorry }';
const ALL = 'exits: { completed: bye, failed: sorry, machine: sorry }';

/** A bridge whose caller's leg is still ringing. */
const bridging = (args: string, exits = EXITS, options: ScriptedLegOptions = {}) =>
  startLegs(
    `
  first: { bridge: ${args}, ${exits} }
  sorry: { pause: 1h, next: bye }
  away: { pause: 1h, next: back }
  back: { resume: {}, next: bye }`,
    options,
  );

/** A bridge whose caller's leg is answered and receives audio. */
const onLine = (args: string, exits = EXITS, options: ScriptedLegOptions = {}) =>
  bridging(args, exits, { outbound: true, ...options });

describe('bridge: ringing', () => {
  it('lets the phone of an unanswered caller ring, and answers it when the other party answers', async () => {
    const { call, caller, party, bridge } = await bridging('"+441"');
    const called = party('+441');
    expect(caller.asked).toEqual(['ring']);
    await called.rings();
    await called.answers();
    expect(caller.asked).toEqual(['ring', 'answer']);
    expect(called.asked).toEqual([]);
    await caller.answers();
    expect([caller.mix, called.mix]).toEqual(['call-1:1', 'call-1:1']);
    expect(bridge()).toEqual(['initiated +441', 'bridging +441', 'bridged +441']);
    expect(call.outcomes()).toEqual([]);
  });

  it('plays a ringing tone to a connected caller until a party answers', async () => {
    const { caller, party } = await onLine('"+441"');
    expect(caller.hears).toBe('ringing');
    await party('+441').answers();
    expect(caller.hears).toBeUndefined();
    expect(caller.mix).toBe(party('+441').mix);
  });

  it('plays the given ringback, also before the call is answered', async () => {
    const { caller } = await bridging('{ to: "+441", ringback: "Please wait" }');
    expect(caller.asked).toEqual(['progress', 'play Please wait']);
    expect(caller.last('play').repeat).toBe(true);
  });

  it('shows the number that was called, or one of the project', async () => {
    const inbound = await bridging('"+441"');
    expect(inbound.dials[0]).toMatchObject({ from: '1000', to: '+441', ringTimeoutMs: 30_000, nearLegId: 'main' });
    const own = await bridging('{ to: "+441", from: "+33177", from_name: Desk, ring_timeout: 12s }');
    expect(own.dials[0]).toMatchObject({ from: '+33177', fromName: 'Desk', ringTimeoutMs: 12_000 });
  });

  it('shows the number of the caller where the project may show any, else its own', async () => {
    const show = (ports: object) =>
      bridging('{ to: "+441", from: "${ call.from }" }', EXITS, { ports } as ScriptedLegOptions);
    expect((await show({ mayPresent: () => true })).dials[0]!.from).toBe('+33612345678');
    expect((await show({ mayPresent: () => false })).dials[0]!.from).toBe('1000');
  });

  it('refuses a caller ID that is not a number of the project', async () => {
    const { call, dialled } = await bridging('{ to: "+441", from: "+99" }');
    expect(dialled()).toEqual([]);
    expect(call.journal().find((entry) => entry.kind === 'left')).toMatchObject({
      outcome: 'error',
      fault: { code: 'cli_not_assigned' },
    });
  });

  it('hangs up all parties when the caller hangs up meanwhile', async () => {
    const { call, caller, party } = await bridging('[["+441", "+442"]]');
    await caller.ends();
    expect([party('+441').hungUp, party('+442').hungUp]).toEqual([16, 16]);
    expect(call.outcomes()).toEqual(['first:hangup']);
  });
});

describe('bridge: how it fails', () => {
  it.each([
    [17, 'busy'],
    [18, 'no_answer'],
    [19, 'no_answer'],
    [21, 'declined'],
    [1, 'unreachable'],
    [3, 'unreachable'],
    [20, 'unreachable'],
    [27, 'unreachable'],
    [38, 'unreachable'],
    [42, 'unreachable'],
    [127, 'unreachable'],
    [99, 'unreachable'],
  ])('maps cause %i to failed.%s', async (cause, word) => {
    const { call, party, result, bridge } = await bridging('"+441"');
    await party('+441').ends(cause);
    expect(call.outcomes()[0]).toBe(`first:failed.${word}`);
    expect(result()).toEqual({ to: null, answered: false, duration: 0, cause, members: { '+441': word } });
    expect(bridge().at(-1)).toBe(`failed +441 ${cause}`);
  });

  it.each([
    [[17, 19], 'busy'],
    [[19, 1], 'no_answer'],
    [[1, 21], 'declined'],
    [[21, 17], 'busy'],
    [[3, 3], 'unreachable'],
  ])('combines two parties with causes %j to failed.%s, by the most advanced attempt', async (causes, word) => {
    const { call, party } = await bridging('[["+441", "+442"]]');
    await party('+441').ends(causes[0]);
    expect(call.outcomes()).toEqual([]);
    await party('+442').ends(causes[1]);
    expect(call.outcomes()[0]).toBe(`first:failed.${word}`);
  });

  it('plays the announcement of a busy number to the caller, then continues', async () => {
    const { caller, party, call } = await onLine('"+441"');
    await party('+441').early();
    expect(caller.mix).toBe(party('+441').mix);
    await party('+441').ends(17);
    expect(caller.mix).toBeUndefined();
    expect(call.outcomes()[0]).toBe('first:failed.busy');
  });
});

describe('bridge: early media', () => {
  it('sends early media to an unanswered caller, and stops the ringing tone', async () => {
    const { caller, party } = await bridging('"+441"');
    await party('+441').early();
    expect(caller.asked).toEqual(['ring', 'progress', 'join call-1:1']);
    await party('+441').answers();
    await caller.answers();
    expect(caller.asked.slice(3)).toEqual(['answer', 'join call-1:1']);
  });

  it('is played for one of several parties once the others have ended', async () => {
    const { caller, party } = await onLine('[["+441", "+442"]]');
    await party('+441').early();
    expect(caller.hears).toBe('ringing');
    await party('+442').ends(17);
    expect(caller.hears).toBeUndefined();
    expect(caller.mix).toBe(party('+441').mix);
  });

  it('ends with its party, and the ringing tone plays again for the next group', async () => {
    const { caller, party } = await onLine('["+441", "+442"]');
    await party('+441').early();
    await party('+441').ends(19);
    expect(caller.mix).toBeUndefined();
    expect(caller.hears).toBe('ringing');
    expect(party('+442').asked).toEqual([]);
  });
});

describe('bridge: groups', () => {
  it('rings groups one after the other, the members of each at once', async () => {
    const { party, dialled, result } = await onLine('[["+441", "+442"], "+443"]');
    expect(dialled()).toEqual(['+441', '+442']);
    await party('+441').ends(19);
    expect(dialled()).toHaveLength(2);
    await party('+442').ends(17);
    expect(dialled()).toEqual(['+441', '+442', '+443']);
    await party('+443').answers();
    await party('+443').ends();
    expect(result()).toMatchObject({
      to: '+443',
      answered: true,
      members: { '+441': 'no_answer', '+442': 'busy', '+443': 'answered' },
    });
  });

  it('connects the first member that answers, and hangs up the others', async () => {
    const { call, party, result } = await onLine('[["+441", "+442", "+443"]]');
    call.run.post({ type: 'leg', leg: party('+442').id, event: { type: 'answered' } });
    call.run.post({ type: 'leg', leg: party('+441').id, event: { type: 'answered' } });
    await call.clock.settle();
    expect([party('+441').hungUp, party('+442').hungUp, party('+443').hungUp]).toEqual([26, undefined, 26]);
    expect(party('+442').mix).toBe('call-1:1');
    await party('+442').ends();
    expect(result()).toMatchObject({
      members: { '+441': 'not_selected', '+442': 'answered', '+443': 'not_selected' },
    });
  });

  it.each([
    [26, 26],
    [16, 16],
  ])('are hung up with the cause %i of a caller who cancels before the answer as %i', async (cause, expected) => {
    const { caller, party } = await bridging('["+441", "+442"]');
    await party('+441').rings();
    await caller.ends(cause);
    expect(party('+441').hungUp).toBe(expected);
  });

  it('reports ringing only once', async () => {
    const { party, bridge } = await onLine('["+441", "+442"]');
    await party('+441').rings();
    await party('+441').ends(19);
    await party('+442').rings();
    expect(bridge()).toEqual(['initiated +441, +442', 'bridging +441']);
  });
});

describe('bridge: the conversation', () => {
  it('lasts until the other side leaves, and measures its duration', async () => {
    const { call, caller, party, result, bridge } = await onLine('"+441"');
    await party('+441').answers();
    await call.clock.advance(83_000);
    await party('+441').ends(16);
    expect(call.outcomes()).toEqual(['first:completed', 'bye:done']);
    expect(result()).toEqual({ to: '+441', answered: true, duration: 83, cause: 16, members: { '+441': 'answered' } });
    expect(caller.mix).toBeUndefined();
    expect(bridge()).toEqual(['initiated +441', 'bridged +441', 'bridge_disconnected +441 16']);
  });

  it('ends when the caller hangs up, and hangs up the other side', async () => {
    const { call, caller, party } = await onLine('"+441"');
    await party('+441').answers();
    await caller.ends();
    expect(party('+441').hungUp).toBe(16);
    expect(call.outcomes()).toEqual(['first:hangup']);
  });

  it('ends properly when both hang up at once', async () => {
    const { call, party } = await onLine('"+441"');
    await party('+441').answers();
    const ended = { type: 'ended', cause: { code: 16, reason: 'Normal Clearing' }, by: 'far' } as const;
    party('+441').ended = true;
    call.run.post({ type: 'leg', leg: party('+441').id, event: ended });
    call.run.post({ type: 'leg', event: ended });
    await call.clock.settle();
    expect(call.outcomes()[0]).toBe('first:completed');
    expect(call.journal().at(-1)?.kind).toBe('ended');
  });

  it('is cut off after max_duration', async () => {
    const { call, party, result } = await onLine('{ to: "+441", max_duration: 1m }');
    await party('+441').answers();
    await call.clock.advance(59_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(party('+441').hungUp).toBe(16);
    expect(result()).toMatchObject({ duration: 60 });
  });

  it('does not pass keys pressed in it on to the next step', async () => {
    const { call, caller, party } = await onLine('"+441"');
    await party('+441').answers();
    await caller.press('1');
    await party('+441').ends();
    expect(call.run.typedAhead.take()).toBe('');
    expect(call.journal()).toContainEqual(expect.objectContaining({ kind: 'digit', digit: '1' }));
  });

  it('plays music to the side that is held, and stops it', async () => {
    const { caller, party } = await onLine('{ to: "+441", hold_music: "We are looking it up" }');
    const called = party('+441');
    await called.answers();
    await called.holds(true);
    expect(caller.hears).toBe('We are looking it up');
    expect(called.hears).toBeUndefined();
    await called.holds(true);
    expect(caller.asked.filter((asked) => asked === 'play We are looking it up')).toHaveLength(1);
    await called.holds(false);
    expect(caller.hears).toBeUndefined();
    await caller.holds(true);
    expect(called.hears).toBe('We are looking it up');
    await called.ends();
    expect(called.commands.at(-1)?.type).toBe('play');
  });

  it('is recorded in two channels from the first word to the last', async () => {
    const { caller, party } = await onLine('{ to: "+441", record: dual }');
    expect(caller.asked).not.toContain('record');
    await party('+441').answers();
    expect(caller.last('record')).toMatchObject({ dual: true, background: true });
    await party('+441').ends();
    expect(caller.last('stop_record').recordId).toBe(caller.last('record').recordId);
  });

  it('continues without a recording if that fails', async () => {
    const { call, party } = await onLine('{ to: "+441", record: true }', EXITS, {
      fault: { code: 'disk_full', message: 'no room', retryable: true },
    });
    await party('+441').answers();
    expect(party('+441').mix).toBe('call-1:1');
    expect(call.journal().find((entry) => entry.kind === 'log')).toMatchObject({ fields: { code: 'disk_full' } });
  });

  it('keeps the other side on music during an interrupt, until they talk again', async () => {
    const { call, caller, party, bridge } = await onLine('"+441"', EXITS, { head: 'events: { event.look: away }' });
    const called = party('+441');
    await called.answers();
    await call.command({ type: 'event', name: 'look', data: null });
    expect(called.hungUp).toBeUndefined();
    expect(called.last('hold').music[0]).toMatchObject({ name: 'hold_music' });
    await call.clock.advance(3_600_000);
    expect(called.commands.some(({ type }) => type === 'resume')).toBe(true);
    expect(caller.mix).toBe(called.mix);
    expect(call.outcomes()).toEqual(['first:$event.look', 'away:done']);
    await called.ends();
    expect(call.outcomes().slice(2)).toEqual(['back:done', 'bye:done']);
    expect(bridge()).toEqual(['initiated +441', 'bridged +441', 'bridge_disconnected +441 16']);
  });
});

describe('bridge: whisper', () => {
  it('is heard only by the party that answered, while the caller hears ringing', async () => {
    const { caller, party } = await onLine('{ to: "+441", whisper: "A call for you" }');
    const called = party('+441');
    await called.answers();
    expect(called.asked).toEqual(['play A call for you']);
    expect(caller.hears).toBe('ringing');
    expect(caller.mix).toBeUndefined();
    await called.finishPlay();
    expect(called.mix).toBe(caller.mix);
    expect(caller.hears).toBeUndefined();
  });

  it('ends the early media first', async () => {
    const { caller, party } = await onLine('{ to: "+441", whisper: "A call for you" }');
    await party('+441').early();
    await party('+441').answers();
    expect([caller.mix, party('+441').mix]).toEqual([undefined, undefined]);
    expect(caller.hears).toBe('ringing');
  });

  it('counts as declined when the party hangs up during it, and the next group rings', async () => {
    const { call, party, result, dialled } = await onLine('{ to: ["+441", "+442"], whisper: "A call for you" }');
    await party('+441').answers();
    await party('+441').ends();
    expect(dialled()).toEqual(['+441', '+442']);
    await party('+442').ends(1);
    expect(call.outcomes()[0]).toBe('first:failed.declined');
    expect(result()).toMatchObject({ members: { '+441': 'declined', '+442': 'unreachable' } });
  });

  it('does not prevent the connection if it cannot be played', async () => {
    const { caller, party } = await onLine('{ to: "+441", whisper: "A call for you" }');
    const called = party('+441');
    await called.answers();
    await called.emit({ type: 'play_ended', playId: called.last('play').playId, reason: 'failed', playedMs: 0 });
    expect(called.mix).toBe(caller.mix);
  });
});

describe('bridge: keys for the party that answers', () => {
  it('sends an extension to the one that answers before all else, and connects the two then', async () => {
    const { caller, party } = await onLine('{ to: "+441", send_digits: "ww12#", whisper: "A call for you" }');
    const called = party('+441');
    await called.answers();
    const sent = called.last('send_digits');
    expect(sent).toMatchObject({ digits: 'ww12#', toneMs: 100, gapMs: 100 });
    expect(called.mix).toBeUndefined();
    expect(called.commands.filter(({ type }) => type === 'play')).toEqual([]);
    await called.emit({ type: 'digits_sent', sendId: sent.sendId });
    expect(called.hears).toBe('A call for you');
    await called.finishPlay();
    expect(called.mix).toBe(caller.mix);
  });

  it('counts a party as having declined that hangs up while it gets its keys', async () => {
    const { call, party, result } = await onLine('{ to: "+441", send_digits: "12" }');
    await party('+441').answers();
    await party('+441').ends();
    expect(call.outcomes()[0]).toBe('first:failed.declined');
    expect(result()).toMatchObject({ answered: false, members: { '+441': 'declined' } });
  });
});

describe('bridge: a key that ends the conversation', () => {
  it('hangs up the party and continues with the caller; ignores other keys', async () => {
    const { call, caller, party } = await onLine('{ to: "+441", end_key: "*" }');
    await party('+441').answers();
    await caller.press('1');
    expect(call.outcomes()).toEqual([]);
    await caller.press('*');
    expect(party('+441').hungUp).toBe(16);
    expect(call.outcomes()[0]).toBe('first:completed');
  });

  it('does nothing while it rings', async () => {
    const { call, caller, party } = await onLine('{ to: "+441", end_key: "*" }');
    await caller.press('*');
    await party('+441').answers();
    expect(caller.mix).toBe(party('+441').mix);
    expect(call.outcomes()).toEqual([]);
  });
});

describe('bridge: screening', () => {
  const screened = (to: string, more = '') =>
    onLine(`{ to: ${to}, screen: { prompt: "Press 1", timeout: 5s }${more} }`);

  it('connects the party that presses the key, also during the prompt, after the whisper', async () => {
    const { caller, party } = await screened('"+441"', ', whisper: "A call for you"');
    const called = party('+441');
    await called.answers();
    expect(called.last('play').audio).toMatchObject([{ text: 'A call for you' }, { text: 'Press 1' }]);
    await called.press('1');
    expect(called.hears).toBeUndefined();
    expect(called.mix).toBe(caller.mix);
  });

  it('asks again after silence and after a wrong key, and then hangs up', async () => {
    const { call, party, result } = await screened('"+441"');
    const called = party('+441');
    await called.answers();
    await called.press('2');
    expect(called.asked).toEqual(['play Press 1', 'play Press 1']);
    await called.finishPlay();
    await call.clock.advance(4_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(called.hungUp).toBe(16);
    expect(call.outcomes()[0]).toBe('first:failed.screened');
    expect(result()).toMatchObject({ answered: false, members: { '+441': 'screened' } });
  });

  it('keeps the others ringing, and connects the first that accepts', async () => {
    const { caller, party, result } = await screened('[["+441", "+442"]]');
    await party('+441').answers();
    expect(party('+442').hungUp).toBeUndefined();
    await party('+442').answers();
    await party('+441').finishPlay();
    await party('+442').press('1');
    expect(party('+441').hungUp).toBe(26);
    expect(party('+442').mix).toBe(caller.mix);
    await party('+442').ends();
    expect(result()).toMatchObject({ members: { '+441': 'not_selected', '+442': 'answered' } });
  });

  it('declines a transfer by a party that is not connected yet, and asks again', async () => {
    const { caller, party } = await screened('"+441"');
    const called = party('+441');
    await called.answers();
    await called.emit({ type: 'referred', referId: 'r1', to: '+442' });
    expect(called.asked).toEqual(['play Press 1', 'refer_progress 603']);
    await called.press('1');
    expect(called.mix).toBe(caller.mix);
  });

  it('counts a party that hangs up meanwhile as screened', async () => {
    const { call, party } = await screened('"+441"');
    await party('+441').answers();
    await party('+441').ends();
    expect(call.outcomes()[0]).toBe('first:failed.screened');
  });
});

describe('bridge: machines', () => {
  const detecting = (args = 'detect_machine: true', to = '"+441"') => onLine(`{ to: ${to}, ${args} }`, ALL);
  const found = (detectId: string, result: 'human' | 'machine' | 'beep' | 'fax' | 'unknown') =>
    ({ type: 'machine_detected', detectId, result, afterMs: 900 }) as const;

  it.each(['human', 'unknown'] as const)('connects the detected %s', async (what) => {
    const { caller, party } = await detecting();
    const called = party('+441');
    await called.answers();
    expect(called.last('detect_machine')).toMatchObject({ timeoutMs: 5_000, awaitBeepMs: 0 });
    expect(called.mix).toBeUndefined();
    await called.emit(found(called.last('detect_machine').detectId, what));
    expect(called.mix).toBe(caller.mix);
  });

  it.each(['machine', 'beep', 'fax'] as const)('hangs up a %s', async (what) => {
    const { call, party, result } = await detecting();
    const called = party('+441');
    await called.answers();
    await called.emit(found(called.last('detect_machine').detectId, what));
    expect(called.hungUp).toBe(16);
    expect(call.outcomes()[0]).toBe('first:machine');
    expect(result()).toMatchObject({ members: { '+441': 'machine' } });
  });

  it('listens for as long as the arguments say', async () => {
    const { party } = await detecting('detect_machine: { timeout: 3s, await_beep: true }');
    await party('+441').answers();
    expect(party('+441').last('detect_machine')).toMatchObject({ timeoutMs: 3_000, awaitBeepMs: 30_000 });
  });

  it('takes the first human of a group', async () => {
    const { caller, party } = await detecting('detect_machine: true', '[["+441", "+442"]]');
    const [one, two] = [party('+441'), party('+442')];
    await one.answers();
    await two.answers();
    await one.emit(found(one.last('detect_machine').detectId, 'machine'));
    await two.emit(found(two.last('detect_machine').detectId, 'human'));
    expect(one.hungUp).toBe(16);
    expect(two.mix).toBe(caller.mix);
  });
});
