/** Callers who hang up, keep their position in a queue, and are called back: the whole service in virtual time. */
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { FarEnd } from '../../src/media/telephony/simulated/far-end.ts';
import { createMemoryStore } from '../memory-store.ts';
import { administered } from './admin-client.ts';
import { type ApiRig, type ApiRigOptions, OTHER } from './rig.ts';
import { openRig } from './rigs.ts';

const CONFIG = `
numbers:
  - { number: "1000", webhook: HOOK, flow: desk }
  - { number: "1001", flow: agent }
  - { number: "3000", project: other }
`;

const desk = (queue = '', callback = ''): string => `
flow: desk
defaults: { exits: { error: sorry } }
start: wait
steps:
  wait:
    queue: { name: support, agents: ["4000"], callback: { flow: called-back, key: "2", attempts: 2, pause: 1m ${callback} } ${queue} }
    exits: { dequeued: bye, full: sorry, callback: promised, no_callback: sorry }
  promised: { play: { text: We call you back }, next: bye }
  sorry: { play: { text: Sorry }, next: bye }
  bye: { hangup: normal }
`;
const CALLED_BACK = `
flow: called-back
defaults: { exits: { error: bye } }
start: hello
steps:
  hello: { play: { text: You asked us to call you back }, next: wait }
  wait: { queue: { name: support, agents: ["4000"] }, exits: { dequeued: bye, full: bye } }
  bye: { hangup: normal }
`;
const AGENT = `
flow: agent
limits: { max_duration: 10h }
defaults: { exits: { error: bye } }
start: work
steps:
  work: { serve: { queue: support, whisper: { text: "${'${ result.from }'}" } }, exits: { left: bye } }
  bye: { hangup: normal }
`;

const open = async (flow = desk(), more: ApiRigOptions = {}): Promise<ApiRig> => {
  const rig = await openRig({
    config: CONFIG,
    flows: { desk: flow, 'called-back': CALLED_BACK, agent: AGENT },
    ...more,
  });
  // The agent talks until a test lets one hang up.
  rig.callees['4000'] = { does: 'answer', ringsAfterMs: 100, afterMs: 1000 };
  return rig;
};

const press = async (rig: ApiRig, caller: FarEnd, digit: string): Promise<void> => {
  caller.press(digit);
  await rig.pass(4000);
};
/** Another caller occupies the agent; this caller keeps the position and hears the confirmation. */
async function kept(rig: ApiRig, from = '0611'): Promise<FarEnd> {
  const first = rig.call('1000', '0699');
  await rig.pass(3000);
  const caller = rig.call('1000', from);
  await rig.pass(2000);
  await press(rig, caller, '2');
  return first;
}
const queuesOf = async (rig: ApiRig): Promise<JsonObject[]> =>
  (await rig.request('GET', '/voice/v1/queue')).body['queues'] as JsonObject[];
const callbacksOf = async (rig: ApiRig): Promise<JsonObject[]> =>
  (await queuesOf(rig)).flatMap((queue) => queue['callbacks'] as JsonObject[]);
const dialled = (rig: ApiRig, to: string): FarEnd[] => rig.farEnds.filter((farEnd) => farEnd.to === to);
const ends = (rig: ApiRig): unknown[] =>
  rig.events().flatMap((event) => (event['state'] === 'queue_callback_ended' ? [event['reason']] : []));
const heard = (farEnd: FarEnd): string[] =>
  farEnd.heard.flatMap(({ item }) => (item.type === 'speech' ? [item.text] : []));

describe('a caller who keeps the position', () => {
  it('is called back when an agent is free, and connected', async () => {
    const rig = await open();
    const first = await kept(rig);
    const asked = rig.farEnds.find(({ from }) => from === '0611')!;
    expect(heard(asked)).toEqual(['We call you back']);
    expect(await callbacksOf(rig)).toMatchObject([{ to: '0611', from: '1000', attempts: 0, state: 'waiting' }]);
    expect(rig.eventNames()).toContain('queue_callback');
    await rig.pass(60_000);
    expect(dialled(rig, '0611')).toEqual([]);
    first.hangUp();
    await rig.pass(1050);
    expect(await callbacksOf(rig)).toMatchObject([{ attempts: 1, state: 'calling' }]);
    // The agent is rung only after the callee has answered and heard the announcement.
    expect(dialled(rig, '4000')).toHaveLength(1);
    await rig.pass(10_000);
    const [person] = dialled(rig, '0611');
    expect(heard(person!)).toEqual(['You asked us to call you back']);
    expect(person!.company.map(({ to }) => to)).toEqual(['4000']);
    expect(await callbacksOf(rig)).toEqual([]);
    expect(await rig.store.callbacks.list()).toEqual([]);
    expect(ends(rig)).toEqual(['connected']);
    person!.hangUp();
    await rig.pass(120_000);
    expect(dialled(rig, '0611')).toHaveLength(1);
  });

  it('is called back when the project may place calls again', async () => {
    const rig = await open(desk(), {
      config: `${CONFIG}  - { number: "1005", webhook: HOOK }\nlimits: { inbound_reserve_percent: 50 }\n`,
      projects: `projects:
  - { app_id: shop, app_key: key-of-the-shop-0001, max_calls: 4 }
  - { app_id: other, app_key: key-of-another-one-2 }
`,
    });
    const first = await kept(rig);
    const others = [rig.call('1005'), rig.call('1005')];
    first.hangUp();
    await rig.pass(20_000);
    expect(dialled(rig, '0611')).toEqual([]);
    expect(await callbacksOf(rig)).toMatchObject([{ attempts: 0, state: 'waiting' }]);
    others[0]!.hangUp();
    await rig.pass(5000);
    expect(dialled(rig, '0611')).toHaveLength(1);
  });

  it('is served before callers who arrived later', async () => {
    const rig = await open();
    const first = await kept(rig);
    const late = rig.call('1000', '0622');
    await rig.pass(2000);
    expect(rig.events().findLast(({ state }) => state === 'queue_position')).toMatchObject({ position: 2, waiting: 2 });
    first.hangUp();
    await rig.pass(12_000);
    expect(dialled(rig, '0611')[0]!.company).toHaveLength(1);
    expect(late.company).toEqual([]);
    dialled(rig, '0611')[0]!.hangUp();
    await rig.pass(12_000);
    expect(late.company).toHaveLength(1);
  });

  it('is retried after the pause while others are served, then gives up the position', async () => {
    const rig = await open();
    rig.callees['0611'] = { does: 'busy' };
    const first = await kept(rig);
    const late = rig.call('1000', '0622');
    await rig.pass(1000);
    first.hangUp();
    await rig.pass(5000);
    expect(dialled(rig, '0611')).toHaveLength(1);
    expect(late.company).toHaveLength(1);
    late.hangUp();
    await rig.pass(30_000);
    expect(dialled(rig, '0611')).toHaveLength(1);
    await rig.pass(40_000);
    expect(dialled(rig, '0611')).toHaveLength(2);
    expect(ends(rig)).toEqual(['no_answer']);
    expect(await callbacksOf(rig)).toEqual([]);
    await rig.pass(3_600_000);
    expect(dialled(rig, '0611')).toHaveLength(2);
  });

  it('follows a flow defined in the file of another flow', async () => {
    const local = CALLED_BACK.trim().split('\n').slice(1);
    const rig = await open(
      `${desk().replace('flow: called-back', 'flow: back')}flows:\n  back:\n${local.map((line) => `    ${line}`).join('\n')}\n`,
      {},
    );
    const first = await kept(rig);
    first.hangUp();
    await rig.pass(10_000);
    expect(dialled(rig, '0611')[0]!.company.map(({ to }) => to)).toEqual(['4000']);
  });

  it('is not called while still on the phone', async () => {
    const rig = await open(desk().replace('We call you back', 'We call you back'.repeat(40)));
    const first = await kept(rig);
    first.hangUp();
    await rig.pass(8000);
    expect(dialled(rig, '0611')).toEqual([]);
    rig.farEnds.find(({ from }) => from === '0611')!.hangUp();
    await rig.pass(4000);
    expect(dialled(rig, '0611')).toHaveLength(1);
  });

  it('is connected to an agent who called in, reserved until the callback is answered', async () => {
    const rig = await open(desk().replace('agents: ["4000"]', 'wait_for_agents: true'));
    const caller = rig.call('1000', '0611');
    await rig.pass(1000);
    await press(rig, caller, '2');
    const agent = rig.call('1001', '0777');
    await rig.pass(10_000);
    expect(heard(agent)).toEqual(['0611']);
    expect(agent.company.map(({ to }) => to)).toEqual(['0611']);
    expect(dialled(rig, '4000')).toEqual([]);
  });

  it.each([
    ['leaves', (agent: FarEnd) => agent.press('#')],
    ['hangs up', (agent: FarEnd) => agent.hangUp()],
    ['pauses', (agent: FarEnd) => agent.press('*')],
  ])('waits on the phone when the agent %s meanwhile', async (_how, act) => {
    const rig = await open(desk().replace('agents: ["4000"]', 'wait_for_agents: true'), {
      flows: {
        desk: desk().replace('agents: ["4000"]', 'wait_for_agents: true'),
        'called-back': CALLED_BACK.replace('agents: ["4000"]', 'wait_for_agents: true'),
        agent: AGENT,
      },
    });
    const caller = rig.call('1000', '0611');
    await rig.pass(1000);
    await press(rig, caller, '2');
    const agent = rig.call('1001', '0777');
    await rig.pass(500);
    act(agent);
    await rig.pass(10_000);
    const [person] = dialled(rig, '0611');
    const other = rig.call('1001', '0778');
    await rig.pass(8000);
    expect([...agent.company, ...other.company].map(({ to }) => to)).toEqual(['0611']);
    expect(person!.company).toHaveLength(1);
    expect(ends(rig)).toEqual(['connected']);
  });

  it('gets the position back on calling again, without a callback', async () => {
    const rig = await open();
    const first = await kept(rig);
    rig.call('1000', '0622');
    await rig.pass(1000);
    const again = rig.call('1000', '0611');
    await rig.pass(1000);
    expect(await callbacksOf(rig)).toEqual([]);
    expect(ends(rig)).toEqual(['called_again']);
    first.hangUp();
    await rig.pass(5000);
    expect(again.company).toHaveLength(1);
    expect(dialled(rig, '0611')).toEqual([]);
  });

  it('has one position, however often and in whatever spelling it asks', async () => {
    const rig = await open(desk('', ', to: "+33 6 11 22 33 44", allow: ["+33"]'));
    const first = await kept(rig);
    for (const from of ['0655', '0656']) {
      const other = rig.call('1000', from);
      await rig.pass(1000);
      await press(rig, other, '2');
    }
    expect(await callbacksOf(rig)).toHaveLength(1);
    expect(await rig.store.callbacks.list()).toHaveLength(1);
    first.hangUp();
    await rig.pass(1000);
    expect(dialled(rig, '+33 6 11 22 33 44')).toHaveLength(1);
  });

  it('is not called again after answering and hanging up before an agent is free', async () => {
    const rig = await open();
    rig.callees['4000'] = { does: 'answer', ringsAfterMs: 100, afterMs: 15_000 };
    const caller = rig.call('1000', '0611');
    await rig.pass(1000);
    await press(rig, caller, '2');
    await rig.pass(6000);
    dialled(rig, '0611')[0]!.hangUp();
    await rig.pass(300_000);
    expect(ends(rig)).toEqual(['left']);
    expect(dialled(rig, '0611')).toHaveLength(1);
  });

  it('is called again after answering without reaching the queue', async () => {
    const rig = await open();
    rig.callees['0611'] = { does: 'answer', ringsAfterMs: 100, afterMs: 1000, talkMs: 300 };
    const first = await kept(rig);
    first.hangUp();
    await rig.pass(200_000);
    expect(dialled(rig, '0611')).toHaveLength(2);
    expect(ends(rig)).toEqual(['no_answer']);
  });
});

describe('when no position is kept', () => {
  const reasonOf = async (rig: ApiRig, from = '0611'): Promise<unknown> => {
    rig.call('1000', '0699');
    await rig.pass(3000);
    const caller = rig.call('1000', from);
    await rig.pass(2000);
    await press(rig, caller, '2');
    expect(heard(caller)).toEqual(['Sorry']);
    expect(await rig.store.callbacks.list()).toEqual([]);
    return rig.events().findLast(({ state }) => state === 'queue_no_callback')?.['reason'];
  };

  it('keeps none for a caller without a number', async () => {
    expect(await reasonOf(await open(), 'anonymous')).toBe('no_number');
  });

  it('keeps none for an unroutable number or one on the do-not-call list', async () => {
    const rig = await open();
    rig.unreachable.add('0611');
    expect(await reasonOf(rig)).toBe('not_callable');
    await rig.request('POST', '/voice/v1/do-not-call', { numbers: ['0622'] });
    expect(await reasonOf(rig, '0622')).toBe('do_not_call');
  });

  it('keeps none for a caller ID of another project', async () => {
    expect(await reasonOf(await open(desk('', ', from: "3000"')))).toBe('not_presentable');
  });

  it('keeps none for a missing flow or schedule', async () => {
    expect(await reasonOf(await open(desk('', ', hours: nights')))).toBe('wrong_order');
  });
});

describe('a kept position', () => {
  it('is not called outside opening hours', async () => {
    const hours = ', hours: { timezone: UTC, open: [{ from: "09:00", to: "17:00" }] }';
    const rig = await open(desk('', hours));
    const first = await kept(rig);
    const atMs = rig.clock.now();
    first.hangUp();
    await rig.pass(10_000);
    const hour = new Date(atMs).getUTCHours();
    const isOpen = hour >= 9 && hour < 17;
    expect(dialled(rig, '0611')).toHaveLength(isOpen ? 1 : 0);
    await rig.pass(((33 - hour) % 24) * 3_600_000);
    expect(dialled(rig, '0611')).toHaveLength(1);
  });

  it('is released after its time', async () => {
    const rig = await open(desk('', ', keep: 10m'));
    await kept(rig);
    await rig.pass(9 * 60_000);
    expect(await callbacksOf(rig)).toHaveLength(1);
    await rig.pass(60_000);
    expect(await callbacksOf(rig)).toEqual([]);
    expect(ends(rig)).toEqual(['expired']);
  });

  it('is not called once the number is on the do-not-call list', async () => {
    const rig = await open();
    const first = await kept(rig);
    await rig.request('POST', '/voice/v1/do-not-call', { numbers: ['0611'] });
    first.hangUp();
    await rig.pass(10_000);
    expect(dialled(rig, '0611')).toEqual([]);
    expect(ends(rig)).toEqual(['refused']);
    expect(rig.call('1000', '0622').company).toEqual([]);
    await rig.pass(5000);
    expect(rig.farEnds.at(-1)?.to).toBe('4000');
  });

  it('DELETE /queue/callback/{callback_id}: releases the position, and hangs up a ringing call', async () => {
    const rig = await open();
    rig.callees['0611'] = { does: 'no_answer' };
    const first = await kept(rig);
    const [callback] = await callbacksOf(rig);
    const path = `/voice/v1/queue/callback/${callback!['callback_id']}`;
    expect((await rig.request('DELETE', path, undefined, { as: OTHER })).status).toBe(404);
    first.hangUp();
    await rig.pass(3000);
    const [phone] = dialled(rig, '0611');
    expect(phone!.state).not.toBe('ended');
    expect((await rig.request('DELETE', path)).body).toMatchObject({ status: 'success' });
    await rig.pass(1000);
    expect(phone!.state).toBe('ended');
    expect((await rig.request('DELETE', path)).status).toBe(404);
    expect(ends(rig)).toEqual(['deleted']);
    expect(await rig.store.callbacks.list()).toEqual([]);
  });

  it('is deleted with the data of the person, in memory and in the store', async () => {
    const { rig, admin } = await administered({
      config: CONFIG,
      flows: { desk: desk(), 'called-back': CALLED_BACK, agent: AGENT },
    });
    rig.callees['4000'] = { does: 'answer', ringsAfterMs: 100, afterMs: 1000 };
    const first = await kept(rig, '06112233');
    expect(await callbacksOf(rig)).toHaveLength(1);
    const { body } = await admin('POST', '/people/forget', { names: ['06112233'] });
    expect(body['forgotten']).toMatchObject({ calls: 1, others: 1 });
    expect(await rig.store.callbacks.list()).toEqual([]);
    expect(await callbacksOf(rig)).toEqual([]);
    first.hangUp();
    await rig.pass(60_000);
    expect(dialled(rig, '06112233')).toEqual([]);
    expect(ends(rig)).toEqual([]);
  });

  it('is not called while the service drains, but afterwards', async () => {
    const { rig, admin } = await administered({
      config: CONFIG,
      flows: { desk: desk(), 'called-back': CALLED_BACK, agent: AGENT },
    });
    rig.callees['4000'] = { does: 'answer', ringsAfterMs: 100, afterMs: 1000 };
    const first = await kept(rig);
    await admin('POST', '/drain');
    first.hangUp();
    await rig.pass(60_000);
    expect(dialled(rig, '0611')).toEqual([]);
    await admin('DELETE', '/drain');
    await rig.pass(5000);
    expect(dialled(rig, '0611')).toHaveLength(1);
  });

  it('is called after a restart, but not during a drain', async () => {
    const store = createMemoryStore();
    const rig = await open(desk(), { store });
    await kept(rig);
    await rig.close();
    expect(await store.callbacks.list()).toMatchObject([{ to: '0611', attempts: 0 }]);
    const next = await open(desk(), { store, directory: rig.directory });
    await next.pass(5000);
    expect(dialled(next, '0611')).toHaveLength(1);
    await next.pass(10_000);
    expect(dialled(next, '0611')[0]!.company).toHaveLength(1);
    expect(await store.callbacks.list()).toEqual([]);
  });

  it('is not called at once after a crash during an attempt', async () => {
    const store = createMemoryStore();
    const rig = await open(desk(), { store });
    rig.callees['0611'] = { does: 'no_answer' };
    const first = await kept(rig);
    first.hangUp();
    await rig.pass(3000);
    expect(dialled(rig, '0611')).toHaveLength(1);
    expect(await store.callbacks.list()).toMatchObject([{ attempts: 1 }]);
    await rig.crash();
    const next = await open(desk(), { store, directory: rig.directory });
    await next.pass(30_000);
    expect(dialled(next, '0611')).toEqual([]);
    await next.pass(3_600_000);
    expect(dialled(next, '0611')).toHaveLength(1);
  });
});

describe('an unknown caller who asks for a callback', () => {
  const FAR = '+53512345678';
  it.each([
    ['is not called in a country of none of the numbers', FAR, ''],
    ['is not called where the flow allows others', '+33611110001', ', allow: ["+3361234"]'],
  ])('keeps no callback for the caller: %s', async (_what, from, allow) => {
    const rig = await open(desk('', allow));
    await kept(rig, from);
    expect(await callbacksOf(rig)).toEqual([]);
    expect(dialled(rig, from)).toEqual([]);
  });

  it('is called where the flow allows it', async () => {
    const rig = await open(desk('', ', allow: ["+53"]'));
    await kept(rig, FAR);
    expect(await callbacksOf(rig)).toMatchObject([{ to: FAR }]);
  });

  it('has twenty positions for one range of numbers', async () => {
    const rig = await open();
    await kept(rig, '0612345000');
    for (let n = 1; n <= 22; n++) {
      const caller = rig.call('1000', `06123450${String(n).padStart(2, '0')}`);
      await rig.pass(2000);
      await press(rig, caller, '2');
    }
    expect(await callbacksOf(rig)).toHaveLength(20);
    const other = rig.call('1000', '0698765432');
    await rig.pass(2000);
    await press(rig, other, '2');
    expect(await callbacksOf(rig)).toHaveLength(21);
  });

  it('has twenty positions for one source of calls, whatever numbers it shows, also when some have ended', async () => {
    const rig = await open();
    await kept(rig);
    const ask = async (n: number, host: string): Promise<void> => {
      const caller = rig.call('1000', `06${n}${n}000`, `udp:${host}:${5000 + n}`);
      await rig.pass(2000);
      await press(rig, caller, '2');
    };
    for (let n = 10; n < 32; n++) await ask(n, '192.0.2.1');
    expect(await callbacksOf(rig)).toHaveLength(21);
    const [, oldest] = await callbacksOf(rig);
    await rig.request('DELETE', `/voice/v1/queue/callback/${oldest!['callback_id']}`);
    await ask(40, '192.0.2.1');
    expect(await callbacksOf(rig)).toHaveLength(20);
    await ask(41, '192.0.2.2');
    expect(await callbacksOf(rig)).toHaveLength(21);
    await rig.pass(3_600_000);
  });
});
