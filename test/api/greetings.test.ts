/** Greetings: the first prompt of a caller, and the events that the application gets about it. */
import { describe, expect, it } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { ApiRig } from './rig.ts';
import { openRig } from './rigs.ts';

const numbers = (more: string) => ({ config: `numbers: [{ number: "1000", webhook: HOOK, ${more} }]\n` });
const HELLO = { text: 'Hello there', voice: 'female', language: 'en-US' };
const FINISHED = { playstate: 'playfinished', play_id: expect.any(String) };

const said = (rig: ApiRig, to: string) => rig.farEnd(to).heard.map(({ item }) => 'text' in item && item.text);

async function expectRepeated(rig: ApiRig): Promise<void> {
  const call = String(rig.received[0]?.body['voice_id']);
  const library = new FlowLibrary(verbs).loadBuiltIn();
  const journal = await rig.store.calls.journal(call);
  expect(await replayJournal(journal, (flow) => library.find(flow), { callId: call })).toMatchObject({ ok: true });
}

describe('a greeting after the connection', () => {
  const AFTER = 'greeting: Good morning, greeting_heard: after_connect';

  it('is reported as a play without a reference, after the call is accepted', async () => {
    const rig = await openRig(numbers(AFTER));
    rig.call('1000');
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['incomingcall']);
    expect(said(rig, '1000')).toEqual([]);
    const call = rig.received[0]?.body['voice_id'];
    await rig.request('POST', `/voice/v1/call/${call}/accept`);
    await rig.pass(5000);
    expect(said(rig, '1000')).toEqual(['Good morning']);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'playfinished']);
    expect(rig.events().at(-1)).toMatchObject({ voice_id: call, ...FINISHED });
    expect(rig.events().at(-1)).not.toHaveProperty('prompt_ref');
    expect((await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO)).status).toBe(200);
    await rig.pass(5000);
    rig.farEnd('1000').hangUp();
    await rig.pass(500);
    expect(rig.eventNames().slice(3)).toEqual(['playfinished', 'disconnected']);
    expect(rig.events()[3]?.['play_id']).not.toBe(rig.events()[2]?.['play_id']);
    await expectRepeated(rig);
  });

  it('is also played if the call is accepted automatically', async () => {
    const rig = await openRig(numbers(`${AFTER}, auto_accept: true`));
    rig.call('1000');
    await rig.pass(5000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'playfinished']);
  });

  it('is reported as failed if the caller hangs up during it', async () => {
    const rig = await openRig(numbers(`${AFTER}, auto_accept: true`));
    rig.call('1000');
    await rig.pass(300);
    rig.farEnd('1000').hangUp();
    await rig.pass(500);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'failed', 'disconnected']);
  });
});

describe('a greeting before the call is reported', () => {
  it.each(['', ', greeting_heard: before_accept'])('does not send an event%s', async (heard) => {
    const rig = await openRig(numbers(`greeting: Good morning, auto_accept: true${heard}`));
    rig.call('1000');
    await rig.pass(5000);
    expect(said(rig, '1000')).toEqual(['Good morning']);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected']);
  });

  it('reports incomingcall, then disconnected, if the caller hangs up during it', async () => {
    const rig = await openRig(numbers('greeting: Good morning'));
    rig.call('1000');
    await rig.pass(300);
    expect(rig.received).toEqual([]);
    rig.farEnd('1000').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'disconnected']);
    expect(rig.events()[1]).toMatchObject({ disconnect_reason: 'Normal Clearing', call_duration: 0 });
    await expectRepeated(rig);
  });

  it('reports incomingcall once if the call ends after it', async () => {
    const rig = await openRig(numbers('greeting: Good morning'));
    rig.call('1000');
    await rig.pass(5000);
    rig.farEnd('1000').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'disconnected']);
    await expectRepeated(rig);
  });

  it('reports incomingcall, then disconnected, after a crash during it', async () => {
    const before = await ApiRig.open(numbers('greeting: Good morning'));
    before.call('1000');
    await before.pass(300);
    // A second run on the same store. The first one never writes again, because its clock is stopped.
    const rig = await openRig({ ...numbers('greeting: Good morning'), store: before.store });
    await rig.pass(1000);
    // Both runs deliver the stored events.
    const told = new Map(before.received.map(({ headers, body }) => [headers['webhook-id'], body['state']]));
    expect([...told.values()]).toEqual(['incomingcall', 'disconnected']);
    await before.crash();
  });
});

describe('an outbound greeting', () => {
  const OUTBOUND = 'outbound_greeting: This is the shop';

  it('is played when a dialled call without an action is answered, and reported as a play', async () => {
    const rig = await openRig(numbers(OUTBOUND));
    const call = await rig.dial({ auto_record: true });
    await rig.pass(6000);
    expect(said(rig, '2000')).toEqual(['This is the shop']);
    const plays = rig.events().filter((event) => event['playstate'] !== undefined);
    expect(plays).toEqual([{ voice_id: call, from: '1000', to: '2000', ...FINISHED }]);
    expect((await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO)).status).toBe(200);
  });

  it.each([
    ['an action', { action_on_connect: { play: HELLO } }, ['Hello there']],
    ['a flow', { flow: 'quiet' }, []],
  ])('is not heard by a call with %s', async (_, more, heard) => {
    const flows = { quiet: 'flow: quiet\nstart: wait\nsteps:\n  wait: { pause: 60s, next: $end }\n' };
    const rig = await openRig({ ...numbers(OUTBOUND), flows });
    await rig.dial(more);
    await rig.pass(8000);
    expect(said(rig, '2000')).toEqual(heard);
  });

  it('belongs to the number shown as caller ID', async () => {
    const rig = await openRig({
      config: `numbers: [{ number: "1000", webhook: HOOK, ${OUTBOUND} }, { number: "1001", outbound_greeting: other }, { number: "1002" }]\nprompts: { other: The other shop }\n`,
    });
    await rig.dial({ from: '1001', to: '2001' });
    await rig.dial({ from: '1002', to: '2002' });
    await rig.pass(6000);
    expect([said(rig, '2001'), said(rig, '2002')]).toEqual([['The other shop'], []]);
  });

  it('is not played to callers', async () => {
    const rig = await openRig(numbers(`${OUTBOUND}, auto_accept: true`));
    rig.call('1000');
    await rig.pass(5000);
    expect(said(rig, '1000')).toEqual([]);
  });
});
