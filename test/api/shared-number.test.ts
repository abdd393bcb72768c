/** A number shared by several projects: callers choose the project by PIN. */
import { describe, expect, it } from 'vitest';
import { FlowLibrary } from '../../src/language/flow/flow-library.ts';
import { replayJournal } from '../../src/proof/testkit/replay.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { ADMIN, administratorOf } from './admin-client.ts';
import { type ApiRig, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const SHARED = `
numbers:
  - { number: "+33 1 99", pin: "4711", pin_allow_short: true, webhook: HOOK/shop }
  - { number: "33199", pin: "081500", project: other, webhook: HOOK/other, greeting: Good morning }
  - { number: "33199", pin: "123412", flow: hello, webhook: HOOK/flow }
`;
const HELLO = `
flow: hello
start: answer
defaults: { exits: { error: bye } }
steps:
  answer: { answer: {}, next: hello }
  hello: { play: Hello to you, next: bye }
  bye: { hangup: normal }
`;
const ASKS = `
flow: hello
start: ask
defaults: { exits: { error: bye, exhausted: bye } }
steps:
  ask: { collect: { digits: { length: 1 } }, exits: { collected: bye } }
  bye: { hangup: normal }
`;

const open = (): Promise<ApiRig> => openRig({ config: SHARED, flows: { hello: HELLO } });

const refusals = ({ logLines }: ApiRig): unknown[] =>
  logLines.filter(({ message }) => message === 'call.refused').map(({ fields }) => fields['why']);

/** The port of the receiver may contain the digits of a PIN. */
function expectSecrecy({ logLines, received }: ApiRig): void {
  expect(JSON.stringify([logLines, received.map(({ body }) => body)])).not.toMatch(/\b(4711|081500|123412)\b/);
}

async function expectRepeated(rig: ApiRig, call: string): Promise<void> {
  const library = new FlowLibrary(verbs).loadBuiltIn().load(rig.directory);
  const journal = await rig.store.calls.journal(call);
  expect(journal.at(-1)?.kind).toBe('ended');
  expect(JSON.stringify(journal)).not.toMatch(/4711|081500|123412/);
  expect(await replayJournal(journal, (flow) => library.find(flow), { callId: call })).toMatchObject({ ok: true });
}

describe('callers who enter a PIN', () => {
  const press = async (rig: ApiRig) => {
    const caller = rig.call('33199');
    await rig.pass(2000);
    return caller;
  };
  const heardBy = (caller: Awaited<ReturnType<typeof press>>) =>
    caller.heard.map(({ item }) => ('text' in item ? item.text : ''));

  it('connects them if a drain has begun meanwhile, and waits for them; refuses other callers', async () => {
    const rig = await openRig({ config: SHARED + ADMIN, flows: { hello: HELLO } });
    const admin = administratorOf(rig);
    const caller = await press(rig);
    expect((await admin('POST', '/drain')).body).toMatchObject({ state: 'draining', live_calls: 1 });
    expect((await press(rig)).state).toBe('ended');
    caller.press('123412#');
    await rig.pass(2000);
    expect(heardBy(caller)).toContain('Hello to you');
  });

  it('connects them while the service stops, and waits for their calls', async () => {
    const rig = await openRig({ config: `${SHARED}limits: { drain: 1h }\n`, flows: { hello: ASKS } });
    const caller = await press(rig);
    let isStopped = false;
    void rig.app.stop().then(() => {
      isStopped = true;
    });
    await rig.pass(1000);
    caller.press('123412#');
    await rig.pass(1000);
    expect([isStopped, caller.state]).toEqual([false, 'connected']);
    caller.press('1');
    await rig.pass(2000);
    expect([isStopped, caller.state]).toEqual([true, 'ended']);
  });
});

describe('a shared number', () => {
  it('asks for a PIN, reports the call to the project of the PIN, and is then controlled by it', async () => {
    const rig = await open();
    const farEnd = rig.call('33199');
    await rig.pass(2000);
    expect(farEnd.state).toBe('connected');
    expect(farEnd.heard[0]?.item).toMatchObject({ text: expect.stringMatching(/^Please enter the number/) });
    expect(rig.received).toEqual([]);
    farEnd.press('4711#');
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected']);
    const call = String(rig.received[0]?.body['voice_id']);
    expect((await rig.request('POST', `/voice/v1/call/${call}/accept`)).status).toBe(409);
    expect((await rig.request('GET', `/voice/v1/call/${call}`, undefined, { as: OTHER })).status).toBe(404);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { text: 'Hi' });
    farEnd.hangUp();
    await rig.pass(1000);
    expect(rig.eventNames().at(-1)).toBe('disconnected');
    expectSecrecy(rig);
    await expectRepeated(rig, call);
  });

  it('belongs to every project that shares it, each with its own PIN', async () => {
    const rig = await open();
    const farEnd = rig.call('33199');
    await rig.pass(1000);
    farEnd.press('081500');
    // Without the hash key, checking the PIN takes longer.
    await rig.pass(4000);
    expect(rig.eventNames()).toEqual([]);
    await rig.pass(6000);
    expect(rig.eventNames().slice(0, 2)).toEqual(['incomingcall', 'connected']);
    expect(farEnd.heard.at(-1)?.item).toMatchObject({ text: 'Good morning' });
    const call = String(rig.received[0]?.body['voice_id']);
    await rig.request('DELETE', `/voice/v1/call/${call}`, undefined, { as: OTHER });
    await rig.pass(1000);
    expect(farEnd.state).toBe('ended');
    expectSecrecy(rig);
    await expectRepeated(rig, call);
  });

  it('runs the flow of the called project, on the answered call', async () => {
    const rig = await open();
    const farEnd = rig.call('33199');
    // Typed ahead: while it was not answered, and without waiting for the question.
    farEnd.press('123412#');
    await rig.pass(8000);
    expect(farEnd.state).toBe('ended');
    expect(farEnd.heard.map(({ item }) => 'text' in item && item.text)).toContain('Hello to you');
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected', 'playfinished', 'disconnected']);
    expectSecrecy(rig);
    await expectRepeated(rig, String(rig.received[0]?.body['voice_id']));
  });

  it('hangs up after three wrong PINs, and refuses callers after five such calls within a minute', async () => {
    const rig = await open();
    for (let call = 0; call < 5; call++) {
      const farEnd = rig.call('33199');
      await rig.pass(500);
      farEnd.press('1111#2222#3333#4711#', { toneMs: 40, gapMs: 40 });
      await rig.pass(6000);
      expect(farEnd.state).toBe('ended');
    }
    expect(refusals(rig)).toEqual(Array(5).fill('no such pin'));
    const sixth = rig.call('33199');
    await rig.pass(500);
    expect(sixth.state).toBe('ended');
    expect(sixth.heard).toEqual([]);
    expect(refusals(rig).at(-1)).toBe('too many wrong pins');
    const another = rig.call('33199', '5550000');
    await rig.pass(500);
    expect(another.state).toBe('connected');
    await rig.pass(60_000);
    const later = rig.call('33199');
    await rig.pass(500);
    expect(later.state).toBe('connected');
    expect(rig.received).toEqual([]);
    expectSecrecy(rig);
    expect(JSON.stringify(rig.logLines)).not.toMatch(/1111|2222|3333/);
  });

  it('is changed in the configuration file only, and shown without its PINs', async () => {
    const rig = await openRig({
      config: `${SHARED}admin: { token: a-token-of-the-administrator-01 }\n`,
      flows: { hello: HELLO },
    });
    const options = { as: false, headers: { authorization: 'Bearer a-token-of-the-administrator-01' } } as const;
    const { body, text } = await rig.request('GET', '/admin/v1/numbers', undefined, options);
    expect(body['numbers']).toHaveLength(3);
    expect(text).not.toMatch(/4711|081500|123412/);
    const put = await rig.request('PUT', '/admin/v1/numbers/33199', { flow: 'hello' }, options);
    expect(put.status).toBe(409);
  });

  it('hangs up on silent callers after three questions', async () => {
    const rig = await open();
    const farEnd = rig.call('33199');
    await rig.pass(60_000);
    expect(farEnd.state).toBe('ended');
    expect(farEnd.heard.filter(({ item }) => 'text' in item && /^Please/.test(item.text))).toHaveLength(3);
    expect(farEnd.heard.at(-1)?.item).toMatchObject({ text: 'Goodbye.' });
    expect(refusals(rig)).toEqual(['no pin']);
  });

  it('forgets callers who hang up during the question, and accepts another PIN after a wrong one', async () => {
    const rig = await open();
    const gone = rig.call('33199');
    await rig.pass(1000);
    gone.hangUp();
    await rig.pass(30_000);
    expect(rig.logLines.filter(({ message }) => message === 'call.gone_before_pin')).toHaveLength(1);
    const farEnd = rig.call('33199');
    await rig.pass(1000);
    farEnd.press('9999#');
    await rig.pass(2000);
    expect(farEnd.heard.map(({ item }) => 'text' in item && item.text)).toContain(
      'There is no party with this number.',
    );
    farEnd.press('4711#');
    await rig.pass(2000);
    expect(rig.eventNames()).toEqual(['incomingcall', 'connected']);
  });

  it('passes digits that follow the PIN on to the call', async () => {
    const rig = await openRig({ config: SHARED, flows: { hello: ASKS } });
    const farEnd = rig.call('33199');
    // All digits arrive before the caller is answered.
    farEnd.press('123412#5');
    await rig.pass(3000);
    const call = String(rig.received[0]?.body['voice_id']);
    const left = (await rig.store.calls.journal(call)).find((entry) => entry.kind === 'left' && entry.step === 'ask');
    expect(left).toMatchObject({ outcome: 'collected', result: { digits: '5' } });
    await expectRepeated(rig, call);
  });

  it('plays the configured prompts', async () => {
    const rig = await openRig({
      config: `${SHARED}prompts: { shared-number: "Your code, please" }\n`,
      flows: { hello: HELLO },
    });
    const farEnd = rig.call('33199');
    await rig.pass(1000);
    expect(farEnd.heard.map(({ item }) => 'text' in item && item.text)).toEqual(['Your code, please']);
    expect(await rig.store.calls.unfinished()).toEqual([]);
  });

  it('releases callers without a PIN when the service stops, without a log entry', async () => {
    const rig = await open();
    const farEnd = rig.call('33199');
    await rig.pass(1000);
    await rig.close();
    expect(farEnd.state).toBe('ended');
    expect(rig.logLines.filter(({ message }) => /^call\./.test(message))).toEqual([]);
  });
});
