/**
 * The embedded engine held to the contract of all engines, over sockets: the network is a second embedded engine, whose
 * legs are the parties. One case takes as long as its calls do.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import type { CalleePlan } from '../../src/telephony/simulated/far-end.ts';
import type { ContractParty, EngineHarness } from '../../src/testkit/engine-contract.ts';
import { runEngineContract } from '../../src/testkit/engine-contract.ts';
import { type Leg, makeEngine, play, Site, sendDigits, tone } from './site.ts';

const NETWORK = '127.0.30.1';
/** Each case has its engine, and each engine its address. */
const ENGINES = Array.from({ length: 250 }, (_, at) => `127.0.31.${at + 1}`);
/** No route of the engine leads there. */
const NOWHERE = '+4400000';

let network: Site;
let made = 0;
const plans = new Map<string, { plan: CalleePlan; party: NetworkParty }>();

beforeAll(async () => {
  network = await Site.open({ host: NETWORK, allowSipUris: ENGINES });
  network.onArrival = (leg) => {
    const expected = plans.get(leg.arrival!.to);
    if (!expected) return leg.send({ type: 'reject', sipStatus: 404 });
    expected.party.take(leg);
    perform(expected.plan, leg);
  };
});
afterAll(async () => {
  const counts = network.engine.counts();
  await network.engine.stop();
  expect(counts).toMatchObject({ legs: 0, sessions: 0, crashed: 0 });
});

/** The network's end of a call; what it does before its leg is there happens when it comes. */
class NetworkParty implements ContractParty {
  #leg: Leg | undefined;
  #waiting: ((leg: Leg) => void)[] = [];
  #acts = 0;

  take(leg: Leg): void {
    this.#leg = leg;
    for (const act of this.#waiting.splice(0)) act(leg);
  }

  press(digits: string): void {
    this.#act((leg) => leg.send(sendDigits(`press-${++this.#acts}`, digits)));
  }

  speak(durationMs: number): void {
    this.#act((leg) => leg.send(play(`speak-${++this.#acts}`, [tone(500, durationMs)])));
  }

  hangUp(): void {
    this.#act((leg) => leg.send({ type: 'hangup', cause: 16 }));
  }

  get received(): string {
    return this.#leg?.digits ?? '';
  }

  #act(act: (leg: Leg) => void): void {
    if (this.#leg) act(this.#leg);
    else this.#waiting.push(act);
  }
}

function perform(plan: CalleePlan, leg: Leg): void {
  const after = (ms: number, act: () => void) => (ms === 0 ? act() : void setTimeout(act, ms));
  if (plan.does === 'answer' || plan.does === 'no_answer') {
    after(plan.ringsAfterMs ?? 0, () => leg.send({ type: 'ring' }));
    if (plan.does === 'no_answer') return;
    after(plan.afterMs ?? 0, () => leg.send({ type: 'answer' }));
    const { talkMs } = plan;
    if (talkMs === undefined) return;
    void leg.until('answered').then(() => after(talkMs, () => leg.send({ type: 'hangup', cause: 16 })));
    return;
  }
  const sipStatus = plan.does === 'fail' ? plan.sipStatus : plan.does === 'busy' ? 486 : 603;
  after(plan.afterMs ?? 0, () => leg.send({ type: 'reject', sipStatus }));
}

const makeHarness = async (): Promise<EngineHarness> => {
  const at = network.engine.address();
  const host = ENGINES[made++ % ENGINES.length]!;
  const engine = makeEngine({ host, routes: [{ prefix: '+33', uri: `sip:${at.host}:${at.port}` }] });
  return {
    engine,
    elapse: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    async callIn() {
      const party = new NetworkParty();
      party.take(network.dial(`sip:+33199001122@${host}:${engine.address().port}`));
      return party;
    },
    async callee(plan) {
      const party = new NetworkParty();
      if (plan.does === 'unreachable') return { to: NOWHERE, party: () => party };
      const to = `+331000${plans.size}`;
      plans.set(to, { plan, party });
      return { to, party: () => party };
    },
    cannot: { random: 'its stories would take minutes in real time; stories.test.ts plays many of them at once' },
    missingFile: '/nowhere/missing.wav',
    toleranceMs: 200,
    close: async () => undefined,
  };
};

runEngineContract(makeHarness, { concurrent: true });
