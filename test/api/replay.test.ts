/** Replay of a journal with the effects of REST requests and of answers to webhooks. */
import { describe, expect, it } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { verbs } from '../../src/verbs/steps.ts';
import type { ApiRig } from './rig.ts';
import { NUMBERS, openRig } from './rigs.ts';

const library = new FlowLibrary(verbs).loadBuiltIn();

describe('a replay', () => {
  it.each<[string, object, string, (rig: ApiRig, call: string) => Promise<unknown>]>([
    ['auto_record', { auto_record: true }, '', async () => undefined],
    [
      'a stream from the answer on',
      { action_on_connect: { stream: { url: 'ws://127.0.0.1:9' } } },
      '',
      async () => undefined,
    ],
    ['an answer that is wrong', {}, '{"plya": {}}', async () => undefined],
    ['an answer that steers', {}, '{"connect": {"to": "4000"}}', async () => undefined],
    [
      'a bridge with a recording and a transfer',
      { action_on_connect: { connect: { to: '4000' } } },
      '',
      async (rig, call) => {
        await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
        await rig.pass(1000);
        await rig.request('PUT', `/voice/v1/call/${call}/transfer`, { transfer_to: '4001' });
      },
    ],
    [
      'a conference',
      {},
      '',
      async (rig, call) => {
        await rig.request('POST', `/voice/v1/conference/${call}`);
      },
    ],
    [
      'a room',
      { action_on_connect: { room: { room_id: 'lobby' } } },
      '',
      async (rig, call) => {
        await rig.request('POST', `/voice/v1/call/${call}/hold`, { hold: true });
      },
    ],
    [
      'orders that end prompts and stays',
      {
        action_on_connect: { play: { text: 'A prompt that takes its time, so that something can happen', dtmf: true } },
      },
      '',
      async (rig, call) => {
        await rig.request('POST', `/voice/v1/conference/${call}`);
        await rig.pass(500);
        await rig.request('PUT', `/voice/v1/room/lobby/call/${call}/join`);
        await rig.pass(500);
        await rig.request('PUT', `/voice/v1/call/${call}/connect`, { from: '1000', to: '4000' });
        await rig.pass(2000);
        await rig.request('PUT', `/voice/v1/call/${call}/recording`, {});
        await rig.request('PUT', `/voice/v1/call/${call}/stream`, { url: 'ws://127.0.0.1:9' });
        await rig.pass(500);
        rig.farEnd('4000').hangUp();
        await rig.pass(500);
        await rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'A prompt that is ended' });
        await rig.request('DELETE', `/voice/v1/call/${call}/play`);
      },
    ],
  ])('repeats a call with %s', async (_what, order, answer, act) => {
    const rig = await openRig({ config: `${NUMBERS}rooms: [{ room_id: lobby }]\n` });
    rig.answerEvent = ({ body }) => ({ status: 200, body: body['state'] === 'connected' ? answer : '' });
    const call = await rig.dial(order);
    await rig.pass(4000);
    await act(rig, call);
    await rig.pass(4000);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    const journal = await rig.store.calls.journal(call);
    expect(journal.at(-1)?.kind).toBe('ended');
    const options = { callId: call };
    expect(await replayJournal(journal, (flow) => library.find(flow), options)).toMatchObject({ ok: true });
  });

  it('repeats a command that accepts the call', async () => {
    const rig = await openRig();
    rig.call('1000');
    await rig.pass(100);
    const call = String(rig.received[0]?.body['voice_id']);
    await rig.request('POST', `/voice/v1/conference/${call}`);
    await rig.pass(1000);
    await rig.request('DELETE', `/voice/v1/call/${call}`);
    await rig.pass(1000);
    const journal = await rig.store.calls.journal(call);
    const options = { callId: call };
    expect(await replayJournal(journal, (flow) => library.find(flow), options)).toMatchObject({ ok: true });
  });
});
