/** A node adopts the call of a lost node whose engine has survived. */
import { describe, expect, it } from 'vitest';
import type { HttpReply, HttpRequest } from '../../src/base/core/http-exchange.ts';
import type { Json } from '../../src/base/core/json.ts';
import type { LegCommand } from '../../src/base/core/leg.ts';
import { requestKeyOf, stoppedRequestOf } from '../../src/base/core/leg-answers.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import type { LegAtEngine, TakenLeg } from '../../src/media/telephony/engine.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { type AdoptionCallParts, adoptCall } from '../../src/service/calls/recovery/adopt-call.ts';
import type { CallStore } from '../../src/service/runtime/call-store.ts';
import type { RuntimePorts } from '../../src/service/runtime/ports.ts';
import { createSupervisor } from '../../src/service/runtime/supervisor.ts';
import { stepsByVerb } from '../../src/verbs/steps.ts';
import { createMemoryStore } from '../memory-store.ts';
import { flowOf, testPorts } from '../runtime/test-call.ts';

const MENU = `
flow: test
start: ask
defaults: { exits: { error: sorry } }
steps:
  ask:
    menu: { prompt: "Press one or two.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }
    exits: { one: fetch, two: bye, exhausted: bye }
  fetch: { request: { REQUEST }, exits: { ok: thanks, failed: bye } }
  thanks: { play: "Thank you.", next: bye }
  sorry: { play: "Sorry for that.", next: bye }
  bye: { hangup: normal }
`;
const menu = (request = 'get: "https://app.example/"') => flowOf(MENU.replace('REQUEST', request));

const SECRET = flowOf(`
flow: test
start: ask
defaults: { exits: { error: $end } }
vars: { pin: { type: string, sensitive: true } }
steps:
  ask:
    collect: { prompt: "Your PIN?", digits: { length: 4 } }
    sensitive: true
    set: { pin: "\${ result.digits }" }
    exits: { collected: send, exhausted: $end }
  send: { request: { post: "https://bank.example/", body: { pin: "\${ vars.pin }" } }, exits: { ok: $end, failed: $end } }
`);

/** One engine, and nodes one after the other. */
function world(flow = menu()) {
  const clock = new VirtualClock();
  const store = createMemoryStore();
  const unmasked = new Map<number, Json>();
  const callStore: CallStore = {
    ...store.calls,
    async commit(write) {
      await store.calls.commit(write);
      for (const { seq, value } of write.unmasked ?? []) unmasked.set(seq, value);
    },
    unmasked: async () => unmasked,
  };
  const arrived: LegCommand[] = [];
  const open = new Set<string>();
  const taken: { legs: readonly TakenLeg[]; fence: number }[] = [];
  const leg: Pick<LegAtEngine, 'state' | 'cause'> = { state: 'connected' };
  const world = { clock, store, unmasked, arrived, open, taken, leg, requests: [] as HttpRequest[], nodes: 0 };

  const node = (name: string) => {
    let isDead = false;
    const dying = { beforeCommand: Number.POSITIVE_INFINITY };
    const requests: { request: HttpRequest; answer(reply: HttpReply): void }[] = [];
    let ids = 0;
    const engine = {
      dial: () => undefined,
      send(_legId: string, command: LegCommand) {
        if (isDead || arrived.length >= dying.beforeCommand) return;
        arrived.push(command);
        const key = requestKeyOf(command);
        if (key !== undefined) open.add(key);
        const stopped = stoppedRequestOf(command);
        if (stopped !== undefined) open.delete(stopped);
      },
      release: () => undefined,
    };
    const ports: RuntimePorts = {
      ...{ owner: name, clock, engine, steps: stepsByVerb, deliveriesOf: () => [], keepsUnmasked: true },
      ids: { next: (kind) => `${kind}-${name}-${++ids}` },
      callStore: {
        commit: (write) => (isDead ? new Promise(() => undefined) : callStore.commit(write)),
      },
      flow: () => undefined,
      http: (request) => new Promise((answer) => void (isDead || requests.push({ request, answer }))),
      ...testPorts(),
      onCrash: (_callId, error) => {
        throw error;
      },
    };
    const supervisor = createSupervisor(ports);
    const parts = {
      ...{ callStore, clock, deliveriesOf: ports.deliveriesOf, log: silentLog, owner: name, ports, supervisor, engine },
      failing: new Map(),
      recordings: { found: () => ({ durationMs: 0, failed: 'nothing' }) },
      ...{ secrets: () => ({}), schedules: () => ({}), projects: { find: () => undefined } },
      flowOf: (_name: string, hash: string) => (hash === flow.hash ? flow : undefined),
      surviving: {
        async take(legs: readonly TakenLeg[], fence: number) {
          taken.push({ legs, fence });
          onTake();
        },
        inspect: async (): Promise<LegAtEngine> => ({
          ...leg,
          commands: arrived.length,
          isOpen: (key) => open.has(key),
        }),
      },
    } as unknown as AdoptionCallParts;
    let onTake = (): void => undefined;
    return {
      ...{ supervisor, requests, dying, parts },
      begin: async () => {
        supervisor.start({
          ...{ callId: 'call-1', projectId: 'project-1', direction: 'inbound', from: '+33612345678', to: '1000' },
          ...{ legId: 'leg-1', flow, input: {}, seed: 1, env: {}, secrets: {}, schedules: {} },
        });
        await clock.settle();
      },
      press: async (digits: string) => {
        for (const digit of digits) supervisor.legEvent('leg-1', { type: 'digit', digit, durationMs: 100 });
        await clock.settle();
      },
      answered: async () => {
        supervisor.legEvent('leg-1', { type: 'answered' });
        await clock.settle();
      },
      kill: () => {
        isDead = true;
      },
      /** Takes the call over. */
      adopt: async (dead: string, { whileTaking = (): void => undefined } = {}): Promise<boolean> => {
        onTake = whileTaking;
        const adopted = adoptCall('call-1', dead, parts);
        let isDone = false;
        const done = (): void => {
          isDone = true;
        };
        void adopted.then(done, done);
        for (let turns = 0; !isDone && turns < 500; turns++) await clock.advance(5);
        return adopted;
      },
    };
  };
  return {
    ...world,
    node,
    journal: () => store.calls.journal('call-1'),
    steps: async () =>
      (await store.calls.journal('call-1')).flatMap((entry) =>
        entry.kind === 'left' ? [`${entry.step}:${entry.outcome}`] : [],
      ),
    plays: () => arrived.filter(({ type }) => type === 'play').length,
  };
}

/** A call in a menu on the node `one`. */
async function inMenu(flow = menu()) {
  const given = world(flow);
  const one = given.node('one');
  await one.begin();
  await one.answered();
  return { ...given, one, two: given.node('two') };
}

describe('a call whose node was lost', () => {
  it('continues at another node: the prompt is not played again, and a later key has its effect', async () => {
    const { one, two, plays, steps, journal, taken, arrived } = await inMenu();
    one.kill();
    expect(await two.adopt('one')).toBe(true);
    expect(plays()).toBe(1);
    expect(taken).toMatchObject([{ fence: 2, legs: [{ legId: 'leg-1', isInbound: true }] }]);
    expect(taken[0]!.legs[0]!.commands).toEqual(arrived);
    expect((await journal()).at(-1)).toMatchObject({ kind: 'in', input: { type: 'adopted', by: 'two' } });
    await two.press('2');
    expect(await steps()).toContain('ask:two');
    expect(two.supervisor.view('call-1')).toMatchObject({ record: { callId: 'call-1' } });
  });

  it('gets the effects that were committed and did not arrive', async () => {
    const given = world();
    const one = given.node('one');
    await one.begin();
    one.dying.beforeCommand = 1;
    await one.answered();
    expect(given.plays()).toBe(0);
    one.kill();
    await given.node('two').adopt('one');
    expect(given.plays()).toBe(1);
  });

  it('loses no event while its legs are taken', async () => {
    const { one, two, steps } = await inMenu();
    one.kill();
    await two.adopt('one', {
      whileTaking: () => two.supervisor.legEvent('leg-1', { type: 'digit', digit: '2', durationMs: 100 }),
    });
    expect(await steps()).toContain('ask:two');
  });

  it('accepts commands of REST only once it continues', async () => {
    const { one, two, journal } = await inMenu();
    one.kill();
    let reply: unknown;
    await two.adopt('one', {
      whileTaking: () =>
        void two.supervisor.command('call-1', { type: 'hangup', cause: 16 }).then((answer) => {
          reply = answer;
        }),
    });
    expect(reply).toEqual({ ok: true });
    const inputs = (await journal()).flatMap((entry) => (entry.kind === 'in' ? [entry.input.type] : []));
    expect(inputs.slice(-2)).toEqual(['adopted', 'command']);
  });

  it('is adopted several times in a row', async () => {
    const { one, two, node, plays, steps } = await inMenu();
    one.kill();
    await two.adopt('one');
    two.kill();
    const three = node('three');
    expect(await three.adopt('two')).toBe(true);
    expect(plays()).toBe(1);
    await three.press('2');
    expect(await steps()).toContain('ask:two');
  });

  it('is adopted with a refused command in its journal', async () => {
    const { one, two, journal } = await inMenu();
    await one.supervisor.command('call-1', { type: 'accept' });
    expect((await journal()).at(-1)).toMatchObject({ kind: 'refused' });
    one.kill();
    await two.adopt('one');
    expect((await journal()).at(-1)).toMatchObject({ input: { type: 'adopted' } });
  });

  it('is ended with its events if its leg has ended meanwhile', async () => {
    const { one, two, leg, journal } = await inMenu();
    one.kill();
    leg.state = 'none';
    await two.adopt('one');
    expect((await journal()).slice(-2)).toMatchObject([
      { kind: 'state', state: 'disconnected', cause: { code: 41 } },
      { kind: 'ended', reason: 'hangup' },
    ]);
  });

  it('is retried if the engine does not answer', async () => {
    const { one, two, plays, journal } = await inMenu();
    one.kill();
    const silent = (): void => {
      throw new Error('no answer');
    };
    await expect(two.adopt('one', { whileTaking: silent })).rejects.toThrow('no answer');
    expect(two.supervisor.liveCalls).toBe(0);
    expect(await two.adopt('two')).toBe(true);
    expect(plays()).toBe(1);
    expect((await journal()).at(-1)).toMatchObject({ input: { type: 'adopted', by: 'two' } });
  });

  it('is ended if the engine does not answer for a minute', async () => {
    const { clock, one, two, journal } = await inMenu();
    one.kill();
    const silent = (): void => {
      throw new Error('no answer');
    };
    await expect(two.adopt('one', { whileTaking: silent })).rejects.toThrow('no answer');
    await clock.advance(60_000);
    expect(await two.adopt('two', { whileTaking: silent })).toBe(true);
    expect(await journal()).toContainEqual(
      expect.objectContaining({ code: 'not_adopted', message: 'its engine does not answer' }),
    );
  });

  it('is ended, with the reason in its journal, if its flow differs at this node', async () => {
    const { one, two, arrived, journal } = await inMenu();
    one.kill();
    two.parts.flowOf = () => undefined;
    expect(await two.adopt('one')).toBe(true);
    expect((await journal()).slice(-4)).toMatchObject([
      { kind: 'in', input: { type: 'lost' } },
      { kind: 'diagnostic', code: 'not_adopted', message: 'this version of the flow test is not known here' },
      { kind: 'state', state: 'disconnected', cause: { code: 41 } },
      { kind: 'ended', reason: 'lost' },
    ]);
    expect(arrived.at(-1)).toEqual({ type: 'hangup', cause: 41 });
  });
});

describe('sensitive input of a caller', () => {
  it('is known to the adopting node, and masked in the journal', async () => {
    const { one, two, journal } = await inMenu(SECRET);
    await one.press('47');
    one.kill();
    expect(await two.adopt('one')).toBe(true);
    await two.press('11');
    expect(two.requests[0]!.request.body).toEqual({ pin: '4711' });
    expect(JSON.stringify(await journal())).not.toMatch(/4711|"digit":"[0-9]"/);
  });

  it('ends the call if it is not available any more', async () => {
    const { one, two, unmasked, journal } = await inMenu(SECRET);
    await one.press('47');
    one.kill();
    unmasked.clear();
    await two.adopt('one');
    expect(await journal()).toContainEqual(
      expect.objectContaining({ code: 'not_adopted', message: 'what its caller entered is not known any more' }),
    );
  });
});

describe('a request without an answer when its node was lost', () => {
  const asked = async (request: string) => {
    const given = await inMenu(menu(request));
    await given.one.press('1');
    const [sent] = given.one.requests;
    given.one.kill();
    await given.two.adopt('one');
    return { ...given, sent: sent!.request };
  };

  it.each([
    ['GET', 'get: "https://app.example/"', undefined],
    ['PUT', 'put: "https://app.example/"', 'call-1:2'],
    ['DELETE', 'delete: "https://app.example/"', 'call-1:2'],
    ['POST that is idempotent', 'post: "https://app.example/", idempotent: true', 'call-1:2'],
  ])('is sent again with the same key: %s', async (_name, request, key) => {
    const { two, sent, steps } = await asked(request);
    expect(two.requests.map((one) => one.request)).toEqual([sent]);
    expect(sent.key).toBe(key);
    two.requests[0]!.answer({ ok: true, status: 200, headers: {}, body: {} });
    await two.press('');
    expect(await steps()).toContain('fetch:ok');
  });

  it.each(['post', 'patch'])('is not sent again, and unknown to the flow: %s', async (method) => {
    const { two, journal } = await asked(`${method}: "https://app.example/"`);
    await two.press('');
    expect(two.requests).toEqual([]);
    expect(await journal()).toContainEqual(
      expect.objectContaining({ kind: 'left', outcome: 'error', fault: expect.objectContaining({ code: 'unknown' }) }),
    );
  });
});
