/** Changes of the wall clock during calls: durations stay correct, and events show the new time of day. */
import { describe, expect, it } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { administered } from './admin-client.ts';
import { CALLEE_NUMBERS, createBroadcast, reportOf, rowsOf } from './broadcast-rig.ts';
import { bridged, connected, openRig } from './rigs.ts';

const HOUR_MS = 3_600_000;
const SET = [
  ['forward', HOUR_MS],
  ['back', -HOUR_MS],
] as const;

describe.each(SET)('the wall clock is set an hour %s', (_way, byMs) => {
  it('during a call: keeps call_duration, recording_duration and the call list correct', async () => {
    const { rig, call } = await bridged();
    await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
    await rig.pass(3000);
    rig.clock.setWallClock(byMs);
    await rig.pass(4000);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    const bodies = rig.received.map(({ body }) => body);
    const [completed, disconnected] = [bodies[1], bodies.at(-1)];
    expect(completed).toMatchObject({ state: 'completed', recording_duration: 7 });
    expect(disconnected).toMatchObject({ state: 'disconnected', recording_duration: 7 });
    // It was answered a second after it was made, and bridged a second later.
    const { body } = await rig.request('GET', '/voice/v1/call');
    const [listed] = body['calls'] as { call_duration: number; bridges: { bridged: string; ended: string }[] }[];
    expect(listed!.call_duration).toBe(disconnected!['call_duration']);
    expect(listed!.call_duration).toBeGreaterThanOrEqual(9);
    expect(listed!.call_duration).toBeLessThan(12);
    const [bridge] = listed!.bridges;
    const bridgedMs = Date.parse(bridge!.ended) - Date.parse(bridge!.bridged);
    expect([bridgedMs >= 7000, bridgedMs < 10_000]).toEqual([true, true]);
  });

  it('during a call: uses the new time of day in events, and can be replayed', async () => {
    const { rig, call } = await connected();
    rig.clock.setWallClock(byMs);
    await rig.pass(1000);
    const nowMs = rig.clock.now();
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(100);
    const timestamp = String(rig.received[0]!.body['timestamp']);
    expect(Math.abs(Date.parse(timestamp) - nowMs)).toBeLessThan(200);
    const journal = await rig.store.calls.journal(call);
    const times = journal.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    const library = new FlowLibrary(verbs).loadBuiltIn();
    expect(await replayJournal(journal, (flow) => library.find(flow))).toMatchObject({ ok: true });
  });

  it('while it rings: keeps the ring timeout', async () => {
    const rig = await openRig({ callee: { does: 'no_answer', ringsAfterMs: 100 } });
    await rig.dial();
    await rig.pass(30_000);
    rig.clock.setWallClock(byMs);
    await rig.pass(28_000);
    expect(rig.eventNames().at(-1)).toBe('ringing');
    await rig.pass(5000);
    expect(rig.events().at(-1)).toMatchObject({ state: 'disconnected', disconnect_cause_code: 19 });
  });

  it('during a question: waits for keys as long as the flow says', async () => {
    const flow = `
flow: ask
start: ask
steps:
  ask: { collect: { prompt: Press one., digits: { max: 1 }, start_timeout: 5s, attempts: 1 }, exits: { collected: bye, exhausted: bye, error: bye } }
  bye: { hangup: }
`;
    const rig = await openRig({ flows: { ask: flow }, config: 'numbers: [{ number: "1000", flow: ask }]\n' });
    rig.call('1000');
    await rig.pass(3000);
    rig.clock.setWallClock(byMs);
    await rig.pass(10_000);
    expect(rig.farEnds.at(-1)!.state).toBe('ended');
  });

  it('during a broadcast: keeps the call durations of the report correct', async () => {
    const rig = await openRig();
    const { app_instance: id } = await createBroadcast(rig);
    await rig.pass(3000);
    rig.clock.setWallClock(byMs);
    await rig.pass(20_000);
    expect(await reportOf(rig, String(id))).toMatchObject({ state: 'completed' });
    const [row] = await rowsOf(rig, String(id));
    expect(row).toMatchObject({ dialed_number: CALLEE_NUMBERS.talks, call_duration: 5 });
  });

  it('during a call: keeps the duration in the metrics correct', async () => {
    const { rig, call } = await connected();
    rig.clock.setWallClock(byMs);
    await rig.pass(5000);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    const { text } = await rig.request('GET', '/metrics', undefined, { as: false });
    const sums = [...text.matchAll(/^(callweave_\w*seconds_sum)\S* (\S+)$/gm)].map(([, name, sum]) => [
      name,
      Number(sum),
    ]);
    expect(sums.filter(([name]) => /call|talk|setup/.test(String(name))).length).toBeGreaterThan(0);
    for (const [name, sum] of sums) expect(sum, String(name)).toBeGreaterThanOrEqual(0);
    for (const [name, sum] of sums) expect(sum, String(name)).toBeLessThan(60);
  });

  it('after wrong tokens: keeps the refusal period', async () => {
    const { rig, admin } = await administered();
    const guess = { as: false, headers: { authorization: 'Bearer guessed' } } as const;
    const tryOnce = () => rig.request('GET', '/admin/v1/projects', undefined, guess);
    for (let guesses = 0; guesses < 10; guesses++) await tryOnce();
    rig.clock.setWallClock(byMs);
    const { status, headers } = await tryOnce();
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await admin('GET', '/projects')).status).toBe(200);
    await rig.pass(61_000);
    expect((await tryOnce()).status).toBe(401);
  });

  it('after wrong PINs: keeps the rate at which other PINs are checked', async () => {
    const numbers = [471199, 815000].map((pin) => `{ number: "100", pin: "${pin}", webhook: HOOK }`);
    const rig = await openRig({ config: `numbers: [${numbers}]\n` });
    const enter = async (from: string, pins: string) => {
      const farEnd = rig.call('100', from, `udp:192.0.2.${from}:5060`);
      await rig.pass(300);
      farEnd.press(pins, { toneMs: 40, gapMs: 40 });
      await rig.pass(2500);
      return farEnd;
    };
    await enter('1', '111111#222222#');
    rig.clock.setWallClock(byMs);
    const honest = await enter('2', '471199#');
    expect(rig.eventNames().slice(0, 2)).toEqual(['incomingcall', 'connected']);
    expect(JSON.stringify(honest.heard)).not.toContain('One moment');
  });
});
