/**
 * Numbers of a broadcast: all errors are reported together, no number is called twice, and the do-not-call list
 * applies.
 */
import { describe, expect, it } from 'vitest';
import { CallError } from '../../../src/service/calls/call-error.ts';
import type { CallAction } from '../../../src/service/calls/control/call-action.ts';
import { order, PROJECT, phones, Rig } from './rig.ts';

const GREET = `
flow: greet
input:
  name: { type: string, maxLength: 20 }
  visits: { type: integer, default: 0 }
  pin: { type: string, sensitive: true }
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: "Hello \${ input.name }", next: bye }
  bye: { hangup: normal }
`;
const FLOW: CallAction = { type: 'flow', flow: 'greet', input: { visits: 3 } };

async function refusal(rig: Rig, ...args: Parameters<Rig['create']>): Promise<CallError> {
  const error = await rig.create(...args).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CallError)) throw new Error(`it was taken, or broke: ${String(error)}`);
  expect(await rig.store.broadcasts.list({ projectId: PROJECT, limit: 10 })).toEqual([]);
  return error;
}

describe('numbers', () => {
  it('are all named if invalid, and none is dialled', async () => {
    const rig = Rig.open();
    const error = await refusal(rig, [
      '+33123456789',
      'abc',
      '',
      '+331',
      'user:',
      'a@b.example',
      'sip:',
      `+${'1'.repeat(16)}`,
    ]);
    expect(error.code).toBe('numbers_invalid');
    expect(error.message).toMatch(/^6 of 8 numbers are wrong; the first is number 2, "abc": must be a number/);
    expect(error.invalidNumbers.map(({ index, value }) => [index, value])).toEqual([
      [1, 'abc'],
      [2, ''],
      [4, 'user:'],
      [5, 'a@b.example'],
      [6, 'sip:'],
      [7, `+${'1'.repeat(16)}`],
    ]);
    await rig.pass(10_000);
    expect(rig.dials).toEqual([]);
  });

  it('are limited in their number', async () => {
    const rig = Rig.open({ limits: { numbers: 3 } });
    expect((await refusal(rig, [])).message).toBe('the list of numbers is empty');
    expect((await refusal(rig, phones(4))).message).toBe('a broadcast may have at most 3 numbers, got 4');
    await expect(rig.create(phones(3))).resolves.toBeDefined();
  });

  it('are called once each, as first written, however often they are listed', async () => {
    const rig = Rig.open();
    const written = [
      '+33 1 99-00',
      '003',
      '3319900',
      'tel:+3319900',
      '(331) 9900',
      'sip:Alice@a-b.example',
      'sip:alice@a-b.example',
    ];
    const others = ['sip:alice@ab.example', 'user:bob', 'user:BOB', '+33199001'];
    const { broadcast, duplicates } = await rig.broadcasts.create(
      order(),
      [...written, ...others].map((phone) => ({ phone })),
    );
    expect(duplicates).toBe(5);
    expect(broadcast.numbers).toBe(6);
    await rig.finish(broadcast.order.broadcastId);
    expect(rig.dials.map(({ to }) => to).sort()).toEqual(
      ['+33 1 99-00', '+33199001', '003', 'sip:Alice@a-b.example', 'sip:alice@ab.example', 'user:bob'].sort(),
    );
  });

  it('are reported as a result, not an error, if unroutable', async () => {
    const rig = Rig.open({ reaches: (to) => to !== '0042' });
    const id = await rig.create(['0041', '0042', '0043']);
    await rig.finish(id);
    expect(await rig.results(id)).toEqual({
      '0041': 'success success 1',
      '0042': 'failed No Route To Destination 0',
      '0043': 'success success 1',
    });
    expect(rig.dials).toHaveLength(2);
  });

  it('are combined with the input of the order for their flow', async () => {
    const rig = Rig.open({ flows: { greet: GREET } });
    const heard: string[] = [];
    rig.options.dialled = (farEnd) => {
      farEnd.observe((notice) => {
        if (notice.type === 'hears' && notice.heard.item.type === 'speech') heard.push(notice.heard.item.text);
      });
    };
    const id = await rig.create(
      [
        { phone: '1', input: { name: 'Ann' } },
        { phone: '2', input: { name: 'Bob', visits: 7 } },
      ],
      {
        action: FLOW,
      },
    );
    await rig.finish(id);
    expect(heard).toEqual(['Hello Ann', 'Hello Bob']);
    const inputs = await Promise.all(
      rig.records.map(async ({ callId, flow }) => [flow, (await rig.store.calls.journal(callId))[0]]),
    );
    expect(inputs).toMatchObject([
      ['greet', { kind: 'started', input: { name: 'Ann', visits: 3 } }],
      ['greet', { kind: 'started', input: { name: 'Bob', visits: 7 } }],
    ]);
  });

  it('are named, too, if their input does not fit the flow', async () => {
    const rig = Rig.open({ flows: { greet: GREET } });
    const error = await refusal(
      rig,
      [
        { phone: '1', input: { name: 5 } },
        { phone: '2', input: { name: 'Ann' } },
        { phone: '3', input: { nmae: 'Bob' } },
        { phone: 'x' },
      ],
      { action: FLOW },
    );
    expect(error.invalidNumbers.map(({ index, message }) => [index, message])).toEqual([
      [0, expect.stringMatching(/^input name: /)],
      [2, 'there is no input nmae; the flow takes name, visits, pin'],
      [3, expect.stringMatching(/^must be a number/)],
    ]);
  });

  it('are accepted with unused input if there is no flow', async () => {
    const rig = Rig.open();
    const id = await rig.create([{ phone: '1', input: { name: 'Ann' } }]);
    await rig.finish(id);
    expect(await rig.results(id)).toEqual({ '1': 'success success 1' });
  });

  it('are validated and stored without blocking the event loop, however many there are', async () => {
    const rig = Rig.open({ limits: { numbers: 30_000 } });
    const callees = phones(30_000).map((phone) => ({ phone }));
    let [turns, isDone] = [0, false];
    const watch = (): void => {
      turns++;
      if (!isDone) setImmediate(watch);
    };
    setImmediate(watch);
    const { broadcast } = await rig.broadcasts.create({ ...order(), window: { open: [] } }, callees);
    isDone = true;
    expect(broadcast.numbers).toBe(30_000);
    // Others had their turn again and again while it was checked and written.
    expect(turns).toBeGreaterThan(15);
    await expect(rig.broadcasts.create(order(), [...callees, { phone: '1' }])).rejects.toMatchObject({
      code: 'numbers_invalid',
    });
    rig.broadcasts.close();
  });
});

describe('an order', () => {
  it.each([
    ['whose line is no number', { from: '<>' }, 'cli_not_assigned', 'from must be a number'],
    ['whose line is another’s', { from: '2000' }, 'cli_not_assigned', '2000 is not a number of this project'],
    [
      'of a flow that nobody knows',
      { action: { type: 'flow', flow: 'x', input: {} } },
      'unknown_flow',
      'there is no flow x',
    ],
    [
      'of a flow that takes no such input',
      { action: { ...FLOW, input: { x: 1 } } },
      'input_invalid',
      /there is no input x/,
    ],
    [
      'of a room that is not there',
      { action: { type: 'room', room: { roomId: 'x' } } },
      'unknown_room',
      'there is no room x',
    ],
    [
      'whose machines hear a flow that nobody knows',
      { detection: { timeoutMs: 1, awaitBeepMs: 0, onMachine: { flow: 'x', input: {} } } },
      'unknown_flow',
      'there is no flow x',
    ],
  ] as const)('%s is not taken', async (_, more, code, message) => {
    const rig = Rig.open({ flows: { greet: GREET } });
    const error = await refusal(rig, ['1'], more as Parameters<Rig['create']>[1]);
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
  });

  it('is refused when the service is about to stop', async () => {
    const rig = Rig.open();
    rig.broadcasts.close();
    expect((await refusal(rig, ['1'])).code).toBe('overloaded');
  });
});

describe('numbers of the do-not-call list', () => {
  it('are skipped in every spelling, and reported as such', async () => {
    const rig = Rig.open();
    expect(await rig.broadcasts.doNotCall.add(PROJECT, ['+33 1 99 00', 'USER:Bob', '3319900'])).toBe(2);
    const id = await rig.create(['tel:+3319900', 'user:bob', 'user:ann']);
    await rig.finish(id);
    expect(await rig.results(id)).toEqual({
      'tel:+3319900': 'failed Do Not Call 0',
      'user:ann': 'success success 1',
      'user:bob': 'failed Do Not Call 0',
    });
    expect((await rig.rows(id))[0]!.result).not.toHaveProperty('cause');
  });

  it('are accepted as all numbers of a broadcast', async () => {
    const rig = Rig.open();
    const numbers = phones(200);
    await rig.broadcasts.doNotCall.add(PROJECT, numbers);
    const id = await rig.create(numbers);
    expect(await rig.finish(id)).toMatchObject({ state: 'completed' });
    expect(new Set(Object.values(await rig.results(id)))).toEqual(new Set(['failed Do Not Call 0']));
    expect(rig.told.at(-1)).toMatchObject({ what: 'complete', counts: { failed: 200, attempts: 0 } });
    expect(rig.clock.now()).toBe(rig.startMs);
  });

  it('are looked up right before each call', async () => {
    const rig = Rig.open({ callee: () => ({ does: 'busy' }) });
    const [early, late] = phones(2) as [string, string];
    const { retry } = { retry: order().retry };
    const id = await rig.create([early, late], {
      pacing: { callsPerSecond: 1 },
      retry: { ...retry, busy: { retries: 3, intervalMs: 10_000 } },
    });
    await rig.pass(500);
    await rig.broadcasts.doNotCall.add(PROJECT, [early, late]);
    await rig.finish(id);
    expect(await rig.results(id)).toEqual({ [early]: 'failed Do Not Call 1', [late]: 'failed Do Not Call 0' });
    expect(rig.dials).toHaveLength(1);
  });

  it('are kept by project, and called again after their removal', async () => {
    const rig = Rig.open();
    const { doNotCall } = rig.broadcasts;
    await doNotCall.add('shop-2', ['1']);
    expect([await doNotCall.has(PROJECT, '1'), await doNotCall.has('shop-2', '+1')]).toEqual([false, true]);
    expect([await doNotCall.remove('shop-2', '(1)'), await doNotCall.remove('shop-2', '1')]).toEqual([true, false]);
    expect(await doNotCall.has('shop-2', '1')).toBe(false);
  });

  it('are listed in pages', async () => {
    const rig = Rig.open();
    const { doNotCall } = rig.broadcasts;
    await doNotCall.add(PROJECT, phones(25));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await doNotCall.list({ projectId: PROJECT, limit: 10, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.phones.map(({ phone }) => phone));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(phones(25).map((phone) => phone.slice(1)));
  });

  it('are validated as phone numbers', async () => {
    const rig = Rig.open();
    const thrown = await (async () => {
      try {
        await rig.broadcasts.doNotCall.add(PROJECT, ['1', 'nobody', '2', '']);
      } catch (error) {
        return error as CallError;
      }
      return undefined;
    })();
    expect(thrown).toMatchObject({ code: 'numbers_invalid', invalidNumbers: [{ index: 1 }, { index: 3 }] });
    expect(await rig.broadcasts.doNotCall.has(PROJECT, '1')).toBe(false);
    await expect(rig.broadcasts.doNotCall.list({ projectId: PROJECT, limit: 5, cursor: 'what' })).rejects.toThrow(
      CallError,
    );
  });
});
