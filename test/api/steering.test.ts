/** Answers that control a call: accepted commands, and the treatment of invalid answers. */
import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../src/service/runtime/journal.ts';
import type { ApiRig } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const GREET = `
flow: greet
input: { name: { type: string } }
start: hello
defaults: { exits: { error: bye } }
steps:
  hello: { play: "Hello \${ input.name }, how are you?", next: bye }
  bye: { hangup: normal }
`;

const WAITING = `
flow: waiting
vars: { amount: { type: integer } }
start: wait
steps:
  wait: { wait_for: { events: [paid], timeout: 60s }, exits: { paid: tell, timeout: bye } }
  tell: { notify: { event: seen, body: "\${ vars.amount }" }, next: bye }
  bye: { hangup: normal }
`;

const ROOMS = 'rooms: [{ room_id: board, pin: "4711" }]\n';

/** A call whose `connected` event is answered so. */
async function answering(answer: string | object, more: object = {}): Promise<{ rig: ApiRig; call: string }> {
  const rig = await openRig({ config: NUMBERS + ROOMS, flows: { greet: GREET, waiting: WAITING } });
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  rig.answerEvent = ({ body }) => ({ status: 200, body: body['state'] === 'connected' ? text : '' });
  const call = await rig.dial(more);
  await rig.pass(8000);
  return { rig, call };
}

type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

const entries = async <Kind extends JournalEntry['kind']>(
  rig: ApiRig,
  call: string,
  kind: Kind,
): Promise<EntryOf<Kind>[]> =>
  (await rig.store.calls.journal(call)).filter((entry): entry is EntryOf<Kind> => entry.kind === kind);

const commands = async (rig: ApiRig, call: string) =>
  (await entries(rig, call, 'in')).flatMap(({ input }) => (input.type === 'command' ? [input] : []));

describe('an answer to an event', () => {
  it.each<[string, object, string, (rig: ApiRig) => unknown]>([
    ['play', { play: { text: 'Hello there' } }, 'play', (rig) => rig.farEnd('2000').heard.length > 0],
    ['connect', { connect: { to: '4000' } }, 'bridge', (rig) => rig.farEnd('4000').state === 'connected'],
    ['connect from', { connect: { from: '1000', to: '4000' } }, 'bridge', (rig) => rig.farEnd('4000').from === '1000'],
    ['hangup', { hangup: true }, 'hangup', (rig) => rig.farEnd('2000').state === 'ended'],
    ['flow', { flow: 'greet', input: { name: 'Eve' } }, 'flow', (rig) => rig.farEnd('2000').heard.length > 0],
    [
      'conference',
      { conference: { name: 'daily' } },
      'conference',
      (rig) => rig.eventNames().includes('conference_joined'),
    ],
    ['room', { room: { room_id: 'board' } }, 'join_room', (rig) => rig.eventNames().includes('joined')],
    ['hold', { hold: true }, 'hold', (rig) => rig.farEnd('2000').isHeld],
  ])('%s: is done, and journalled as the answer of a webhook', async (_what, answer, command, done) => {
    const { rig, call } = await answering(answer);
    expect(done(rig)).toBe(true);
    expect(await commands(rig, call)).toMatchObject([{ source: 'webhook', command: { type: command } }]);
    expect(await entries(rig, call, 'diagnostic')).toEqual([]);
    expect(rig.logLines.filter(({ message }) => message === 'call.steered')).toHaveLength(1);
  });

  it('outcome and set: ends the current step, and sets variables', async () => {
    const { rig, call } = await answering({ outcome: 'paid', set: { amount: 7 } }, { flow: 'waiting' });
    expect(rig.events().find(({ event }) => event === 'seen')).toMatchObject({ body: 7 });
    expect(await commands(rig, call)).toMatchObject([
      { source: 'webhook', command: { type: 'outcome', outcome: 'paid' } },
    ]);
  });

  it.each<[string, string | object, RegExp]>([
    ['a play that says nothing', { play: {} }, /prompt_name or text/],
    ['a play that is none', { play: 3 }, /map/],
    ['a misspelt action', { playy: { text: 'x' } }, /unknown key `playy`/],
    ['two actions', { play: { text: 'Hello there' }, hangup: true }, /one of/],
    ['a hangup that is none', { hangup: false }, /./],
    ['a number of nobody', { connect: { from: '5555', to: '4000' } }, /not a number of this project/],
    ['a destination that is none', { connect: { to: 'nobody' } }, /must be a number/],
    ['a flow that is not there', { flow: 'no-such-flow' }, /no flow/],
    ['a flow that does not compile', { flow: { flow: 'f' } }, /./],
    ['a room that is not there', { room: { room_id: 'attic' } }, /no room/],
    ['an outcome that the step has not', { outcome: 'sold' }, /outcome/],
    ['a stream of a call that is not bridged', { stream: { stream_dest: 'ws://127.0.0.1:9' } }, /not_bridged/],
    ['something else', { status: 'ok' }, /unknown key `status`/],
  ])('%s: is a diagnostic on the call, and changes nothing', async (_what, answer, why) => {
    const { rig, call } = await answering(answer);
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
    expect(rig.farEnd('2000').heard).toEqual([]);
    const found = await entries(rig, call, 'diagnostic');
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toMatch(why);
    expect(rig.logLines.filter(({ message }) => message === 'call.answer_ignored')).toHaveLength(1);
    expect((await rig.request('GET', `/voice/v1/call/${call}`)).body['state']).toBe('connected');
  });

  it('a list of actions: is a diagnostic on the call, and has no effect', async () => {
    const { rig, call } = await answering('[{"hangup": true}]');
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
    const found = await entries(rig, call, 'diagnostic');
    expect(found).toMatchObject([{ code: 'answer_ignored', message: 'the answer is not a JSON object' }]);
    expect(rig.logLines.filter(({ message }) => message === 'call.answer_ignored')).toHaveLength(1);
  });

  it.each(['OK', '', '{}', '"x"', '<html>'])('%j: has no effect', async (answer) => {
    const { rig, call } = await answering(answer);
    expect(rig.eventNames()).toEqual(['ringing', 'connected']);
    expect(await entries(rig, call, 'diagnostic')).toEqual([]);
  });

  it('to the last event of a call: is logged, because the call has ended', async () => {
    const rig = await openRig();
    rig.answerEvent = ({ body }) => ({ status: 200, body: body['state'] === 'disconnected' ? '{"hangup": true}' : '' });
    await rig.dial();
    await rig.pass(2000);
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    expect(rig.logLines.filter(({ message }) => message === 'call.answer_ignored')).toHaveLength(1);
  });
});
