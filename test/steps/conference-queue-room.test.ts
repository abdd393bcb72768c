import { describe, expect, it } from 'vitest';
import { type ScriptedLegOptions, startLegs } from './scripted-legs.ts';

const meeting = (args: string, options: ScriptedLegOptions = {}) =>
  startLegs(
    `
  first: { conference: ${args}, exits: { left: next, ended: next, full: next } }
  next: { pause: 1h, next: bye }`,
    { outbound: true, ...options },
  );

const JOINED = { conference_id: 'conf-1', mix_id: 'mix-1', members: 2 };

describe('conference', () => {
  it('passes the options of the member on', async () => {
    const { places } = await meeting(
      '{ name: weekly, muted: true, moderator: false, wait_for_moderator: true, end_on_exit: true, max_members: 5 }',
    );
    expect(places[0]).toMatchObject({
      kind: 'conference',
      member: {
        name: 'weekly',
        callId: 'call-1',
        options: { muted: true, moderator: false, wait_for_moderator: true, end_on_exit: true, max_members: 5 },
      },
    });
  });

  it.each([
    ['weekly', 'weekly', {}],
    ['{ conference_id: c-7 }', 'c-7', { conference_id: 'c-7' }],
    ['{ name: weekly, conference_id: c-7 }', 'weekly', { conference_id: 'c-7' }],
  ])('joins by the name %s', async (args, name, options) => {
    expect((await meeting(args)).places[0]).toMatchObject({ member: { name, options } });
  });

  it('answers the call first', async () => {
    const { caller, places } = await meeting('weekly', { outbound: false });
    expect(caller.asked).toEqual(['answer']);
    expect(places).toHaveLength(1);
  });

  it('joins the mix of the conference, muted where the options say so', async () => {
    const { caller, places } = await meeting('{ name: weekly, muted: true }');
    await places[0]!.tell('joined', JOINED);
    expect(caller.asked).toEqual(['join mix-1 muted']);
    await places[0]!.tell('muted', { muted: false });
    expect(caller.asked.at(-1)).toBe('mute false');
  });

  it('plays music to a lone member, and stops it when another joins', async () => {
    const { caller, places } = await meeting('{ name: weekly, music: "Nobody is here" }');
    await places[0]!.tell('joined', { ...JOINED, members: 1 });
    expect(caller.hears).toBe('Nobody is here');
    await places[0]!.tell('members', { members: 2 });
    expect(caller.hears).toBeUndefined();
    await places[0]!.tell('members', { members: 3 });
    await places[0]!.tell('members', { members: 1 });
    expect(caller.asked).toEqual(['join mix-1', 'play Nobody is here', 'play Nobody is here']);
  });

  it('plays the join sound first', async () => {
    const { caller, places } = await meeting('{ name: weekly, join_sound: "Welcome to it" }');
    await places[0]!.tell('joined', { ...JOINED, members: 1 });
    expect(caller.hears).toBe('Welcome to it');
    await caller.finishPlay();
    expect(caller.hears).toBe('hold_music');
  });

  it('waits with music for a moderator', async () => {
    const { caller, places } = await meeting('{ name: weekly, wait_for_moderator: true }');
    await places[0]!.tell('waiting', { conference_id: 'conf-1', members: 3 });
    expect(caller.asked).toEqual(['play hold_music']);
    await places[0]!.tell('members', { members: 4 });
    expect(caller.hears).toBe('hold_music');
    await places[0]!.tell('joined', JOINED);
    await places[0]!.tell('started');
    expect(caller.hears).toBeUndefined();
    expect(caller.mix).toBe('mix-1');
  });

  it('holds and resumes a member', async () => {
    const { caller, places } = await meeting('{ name: weekly, music: "Held now" }');
    await places[0]!.tell('joined', JOINED);
    await places[0]!.tell('held', { hold: true });
    expect(caller.last('hold').music).toMatchObject([{ text: 'Held now' }]);
    await places[0]!.tell('held', { hold: false });
    expect(caller.asked.at(-1)).toBe('resume');
  });

  it('is left with its key, and with no other', async () => {
    const { call, caller, places, result } = await meeting('{ name: weekly, leave_key: "#" }');
    await places[0]!.tell('joined', JOINED);
    await call.clock.advance(61_000);
    await caller.press('1');
    expect(call.outcomes()).toEqual([]);
    await caller.press('#');
    expect(call.outcomes()).toEqual(['first:left']);
    expect(result()).toEqual({ conference_id: 'conf-1', duration: 61 });
    expect(caller.mix).toBeUndefined();
    expect(places[0]!.heard).toEqual(['exit']);
  });

  it.each([
    ['ended', 'first:ended'],
    ['full', 'first:full'],
  ])('continues in the flow after %s', async (told, outcome) => {
    const { call, places } = await meeting('weekly');
    await places[0]!.tell(told);
    expect(call.outcomes()).toEqual([outcome]);
    expect(places[0]!.heard).toEqual(['exit']);
  });

  it('ends when the caller hangs up', async () => {
    const { call, caller, places } = await meeting('weekly');
    await places[0]!.tell('joined', JOINED);
    await caller.ends();
    expect(call.outcomes()).toEqual(['first:hangup']);
    expect(places[0]!.heard).toEqual(['exit']);
  });

  it('is recorded from the moment of joining', async () => {
    const { caller, places } = await meeting('{ name: weekly, record: true }');
    expect(caller.asked).toEqual([]);
    await places[0]!.tell('joined', JOINED);
    expect(caller.last('record')).toMatchObject({ background: true });
  });

  it('does not keep keys that were pressed in it', async () => {
    const { call, caller, places } = await meeting('weekly');
    await caller.press('5');
    await places[0]!.tell('ended');
    expect(call.run.typedAhead.take()).toBe('');
  });
});

describe('join_room', () => {
  const joining = (args: string) =>
    startLegs(
      `
  first: { join_room: ${args}, exits: { left: next, ended: next, denied: next } }
  next: { pause: 1h, next: bye }`,
      { outbound: true },
    );

  it.each([
    ['room-1', 'room-1', { display_name: '+33200' }],
    ['{ room_id: room-1, pin: "4711", display_name: Ann }', 'room-1', { display_name: 'Ann', pin: '4711' }],
    ['{ pin: "4711" }', '*', { display_name: '+33200', pin: '4711' }],
  ])('enters the room given by %s', async (args, name, options) => {
    expect((await joining(args)).places[0]).toMatchObject({ kind: 'room', member: { name, options } });
  });

  const JOINED_ROOM = { room_id: 'room-1', mix_id: 'room x', members: 2, may_talk: true };

  it('says what the caller waits for, with music, and then that it is in', async () => {
    const { caller, places } = await joining('room-1');
    await places[0]!.tell('waiting', { for: 'moderator' });
    expect(caller.hears).toContain('when a moderator is there');
    await caller.finishPlay();
    expect(caller.hears).toBe('hold_music');
    await places[0]!.tell('waiting', { for: 'admission' });
    expect(caller.hears).toContain('asked to let you in');
    await caller.finishPlay();
    expect(caller.hears).toBe('hold_music');
    await places[0]!.tell('joined', JOINED_ROOM);
    expect(caller.hears).toBe('You are in the meeting.');
    await caller.finishPlay();
    expect(caller.asked.at(-1)).toBe('play You are in the meeting.');
  });

  it('mutes and unmutes by *6, with words that say how it is', async () => {
    const { caller, places } = await joining('room-1');
    await places[0]!.tell('joined', JOINED_ROOM);
    for (const digit of '*6') await caller.press(digit);
    expect(places[0]!.heard).toEqual(['mute']);
    await places[0]!.tell('muted', { muted: true, by: 'self' });
    expect([caller.asked.at(-2), caller.hears]).toEqual(['mute true', 'You are muted.']);
    for (const digit of '*6') await caller.press(digit);
    await places[0]!.tell('refused', { by: 'moderator' });
    expect(caller.hears).toBe('A moderator has muted you.');
    await places[0]!.tell('muted', { muted: false, by: 'moderator' });
    expect(caller.hears).toBe('You are not muted.');
    await places[0]!.tell('muted', { muted: true, by: 'role' });
    expect(caller.hears).toBe('You are listening only.');
  });

  it('raises a hand by *9, and leaves by *0', async () => {
    const { call, caller, places, result } = await joining('room-1');
    await places[0]!.tell('joined', JOINED_ROOM);
    for (const digit of '1*9') await caller.press(digit);
    await places[0]!.tell('hand', { raised: true });
    expect([places[0]!.heard, caller.hears]).toEqual([['hand'], 'Your hand is raised.']);
    for (const digit of '*0') await caller.press(digit);
    expect(call.outcomes()).toEqual(['first:left']);
    expect(result()).toEqual({ room_id: 'room-1', duration: 0 });
  });

  it('has other keys, and says nothing, where its arguments say so', async () => {
    const { call, caller, places } = await joining(
      '{ room_id: room-1, announce: false, mute_key: "5", hand_key: "", leave_key: "#", music: "One moment" }',
    );
    await places[0]!.tell('waiting', { for: 'moderator' });
    expect(caller.hears).toBe('One moment');
    await places[0]!.tell('joined', JOINED_ROOM);
    for (const digit of '*9*6*05') await caller.press(digit);
    expect(places[0]!.heard).toEqual(['mute']);
    expect(caller.hears).toBeUndefined();
    await caller.press('#');
    expect(call.outcomes()).toEqual(['first:left']);
  });

  it('forgets the first of two keys after three seconds', async () => {
    const { call, caller, places } = await joining('room-1');
    await places[0]!.tell('joined', JOINED_ROOM);
    await caller.press('*');
    await call.clock.advance(3001);
    await caller.press('6');
    for (const digit of '**6') await caller.press(digit);
    expect(places[0]!.heard).toEqual(['mute']);
  });

  it('says why a room was not entered that is full', async () => {
    const { call, places, result } = await joining('room-1');
    await places[0]!.tell('full', { room_id: 'room-1' });
    expect(call.outcomes()).toEqual(['first:ended']);
    expect(result()).toMatchObject({ reason: 'full' });
  });

  it('joins the mix of the room, in silence without others', async () => {
    const { call, caller, places, result } = await joining('room-1');
    await places[0]!.tell('joined', { room_id: 'room-1', mix_id: 'room x', members: 1 });
    expect(caller.asked).toEqual(['join room x']);
    await call.clock.advance(5_000);
    await places[0]!.tell('ended');
    expect(call.outcomes()).toEqual(['first:ended']);
    expect(result()).toEqual({ room_id: 'room-1', duration: 5 });
  });

  it('says why entry was denied', async () => {
    const { call, places, result } = await joining('{ room_id: room-1, pin: "1" }');
    await places[0]!.tell('denied', { reason: 'wrong_pin' });
    expect(call.outcomes()).toEqual(['first:denied']);
    expect(result()).toEqual({ reason: 'wrong_pin' });
  });
});

describe('queue', () => {
  const queueing = (args = '') =>
    startLegs(
      `
  first:
    queue: { name: support, agents: ["+441", "+442"], ${args} }
    exits: { dequeued: next${args.includes('timeout: 5m') ? ', timeout: next' : ''}, full: next${args.includes('leave_key') ? ', abandoned: next' : ''} }
  next: { pause: 1h, next: bye }`,
      { outbound: true },
    );

  it('passes its agents on, and plays music', async () => {
    const { caller, places } = await queueing('max_size: 10');
    expect(places[0]).toMatchObject({
      kind: 'queue',
      member: { name: 'support', options: { agents: ['+441', '+442'], max_size: 10 } },
    });
    expect(caller.asked).toEqual(['play hold_music']);
  });

  it('announces each new position, then plays music again', async () => {
    const { caller, places } = await queueing('position: "Number ${ result.position } of ${ result.waiting }"');
    await places[0]!.tell('position', { position: 3, waiting: 4 });
    expect(caller.hears).toBe('Number 3 of 4');
    await caller.finishPlay();
    expect(caller.hears).toBe('hold_music');
    await places[0]!.tell('position', { position: 2, waiting: 4 });
    expect(caller.hears).toBe('Number 2 of 4');
  });

  it('rings the given agent while the music continues, and connects the two', async () => {
    const { call, caller, party, places, result, dials, bridge } = await queueing('from: "+33177"');
    await call.clock.advance(40_000);
    await places[0]!.tell('turn', { agent: '+442' });
    expect(dials).toMatchObject([{ to: '+442', from: '+33177', ringTimeoutMs: 20_000 }]);
    expect(caller.hears).toBe('hold_music');
    await party('+442').rings();
    await party('+442').answers();
    expect(places[0]!.heard).toEqual(['answered']);
    expect(caller.hears).toBeUndefined();
    expect(caller.mix).toBe(party('+442').mix);
    await call.clock.advance(10_000);
    await party('+442').ends();
    expect(call.outcomes()).toEqual(['first:dequeued']);
    expect(result()).toEqual({ agent: '+442', waited: 40, duration: 10, cause: 16 });
    expect(places[0]!.heard).toEqual(['answered', 'exit']);
    expect(bridge()).toEqual(['initiated +442', 'bridging +442', 'bridged +442', 'bridge_disconnected +442 16']);
  });

  it('continues to wait if the agent does not answer', async () => {
    const { call, caller, party, places } = await queueing();
    await places[0]!.tell('turn', { agent: '+441' });
    await party('+441').ends(19);
    expect(places[0]!.heard).toEqual(['agent_free']);
    expect(call.outcomes()).toEqual([]);
    expect(caller.hears).toBe('hold_music');
    await places[0]!.tell('turn', { agent: '+442' });
    await party('+442').answers();
    expect(caller.mix).toBe(party('+442').mix);
  });

  it('plays the whisper to the agent first', async () => {
    const { caller, party, places } = await queueing('whisper: "A customer"');
    await places[0]!.tell('turn', { agent: '+441' });
    await party('+441').answers();
    expect(party('+441').hears).toBe('A customer');
    expect(caller.hears).toBe('hold_music');
    await party('+441').finishPlay();
    expect(caller.mix).toBe(party('+441').mix);
  });

  it('has the outcome timeout, but not while the phone of an agent rings', async () => {
    const { call, party, places } = await queueing('timeout: 5m');
    await call.clock.advance(290_000);
    await places[0]!.tell('turn', { agent: '+441' });
    await call.clock.advance(10_000);
    expect(call.outcomes()).toEqual([]);
    await party('+441').ends(19);
    expect(call.outcomes()).toEqual(['first:timeout']);
    expect(places[0]!.heard).toEqual(['agent_free', 'exit']);
  });

  it('has the outcome timeout at the exact millisecond', async () => {
    const { call, caller, result } = await queueing('timeout: 5m');
    await call.clock.advance(299_999);
    expect(call.outcomes()).toEqual([]);
    await call.clock.advance(1);
    expect(call.outcomes()).toEqual(['first:timeout']);
    expect(result()).toEqual({ agent: null, waited: 300, duration: 0 });
    expect(caller.hears).toBeUndefined();
  });

  it('has the outcome full', async () => {
    const { call, places } = await queueing();
    await places[0]!.tell('full', { waiting: 10 });
    expect(call.outcomes()).toEqual(['first:full']);
  });

  it.each([false, true])('is abandoned with its key (while an agent’s phone rings: %s)', async (ringing) => {
    const { call, caller, party, places } = await queueing('leave_key: "*"');
    if (ringing) await places[0]!.tell('turn', { agent: '+441' });
    await caller.press('1');
    expect(call.outcomes()).toEqual([]);
    await caller.press('*');
    expect(call.outcomes()).toEqual(['first:abandoned']);
    if (ringing) expect(party('+441').hungUp).toBe(16);
    expect(places[0]!.heard).toEqual(['exit']);
  });

  it('ends when the caller hangs up, and the agent’s phone stops ringing', async () => {
    const { call, caller, party, places } = await queueing();
    await places[0]!.tell('turn', { agent: '+441' });
    await caller.ends();
    expect(call.outcomes()).toEqual(['first:hangup']);
    expect(party('+441').hungUp).toBe(16);
    expect(places[0]!.heard).toEqual(['exit']);
  });

  it('ends in a transfer to another party if requested', async () => {
    const { call, caller, party, places } = await queueing();
    await places[0]!.tell('turn', { agent: '+441' });
    await party('+441').answers();
    await call.command({ type: 'transfer', channelId: 'c', args: { to: '+449' } });
    await party('+449').answers();
    expect(party('+441').hungUp).toBe(16);
    expect(caller.mix).toBe(party('+449').mix);
  });
});
