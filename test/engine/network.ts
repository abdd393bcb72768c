/**
 * A network for the engine contract, over sockets: a second embedded engine, whose legs are the parties. Each harness
 * has its own engine at its own address; the network outlives them, and must have forgotten their calls when it is
 * closed. Media threads outlive them too, because starting one takes longer than most cases.
 */
import { expect, vi } from 'vitest';
import type { SipHeaders } from '../../src/base/core/sip-headers.ts';
import type { MediaPort } from '../../src/media/telephony/media/media-port.ts';
import type { CalleePlan, ReferPlan, SeenHeaders } from '../../src/media/telephony/simulated/far-end.ts';
import type { SipEngine } from '../../src/media/telephony/sip/engine-options.ts';
import type { ContractParty, EngineHarness } from '../contracts/engine/engine-contract.ts';
import { seenByLeg } from '../contracts/engine/headers.ts';
import { type Leg, makeEngine, makeMedia, play, Site, sendDigits, tone } from './site.ts';

interface EngineAddress {
  address: string;
  media: MediaPort;
}

/** A number without a route in the engine. */
const NOWHERE = '+4400000';
/** Target of redirects in the suite; it is never called. */
const ELSEWHERE = '192.0.2.9';

export class Network {
  readonly #site: Site;
  readonly #addresses: string[];
  readonly #idle: EngineAddress[] = [];
  readonly #media: MediaPort[] = [];
  readonly #expected = new Map<string, { plan: CalleePlan; party: Party }>();

  /** `prefix`: the first three numbers of the loopback addresses to use. */
  static async open(prefix: string): Promise<Network> {
    const addresses = Array.from({ length: 253 }, (_, at) => `${prefix}.${at + 1}`);
    return new Network(await Site.open({ host: `${prefix}.254`, allowSipUris: [...addresses, ELSEWHERE] }), addresses);
  }

  private constructor(site: Site, addresses: string[]) {
    this.#site = site;
    this.#addresses = [...addresses];
    site.onArrival = (leg) => {
      const expected = this.#expected.get(leg.arrival!.to);
      if (!expected) return leg.send({ type: 'reject', sipStatus: 404 });
      expected.party.take(leg);
      perform(expected.plan, leg);
    };
  }

  /** Builds a harness, together with the media of its engine. */
  async harness(): Promise<EngineHarness & { engine: SipEngine; media: MediaPort }> {
    const lodging = this.#idle.pop() ?? (await this.#lodging());
    const { address, media } = lodging;
    const { host, port } = this.#site.engine.address();
    const routes = [{ prefix: '+33', uri: `sip:${host}:${port}` }];
    const engine = makeEngine({ host: address, routes, allowSipUris: [ELSEWHERE] }, media);
    return {
      ...{ engine, media },
      elapse: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      callIn: async (headers) =>
        new Party(this.#site.dial(`sip:+33199001122@${address}:${engine.address().port}`, headers && { headers })),
      callee: async (plan) => {
        const party = new Party();
        if (plan.does === 'unreachable') return { to: NOWHERE, party: () => party };
        const to = `+331000${this.#expected.size}`;
        this.#expected.set(to, { plan, party });
        return { to, party: () => party };
      },
      cannot: {
        listen: 'this engine has nothing that recognises speech; test/media and test/speech do',
        random: 'its stories would take minutes in real time; stories.test.ts plays many of them at once',
      },
      can: ['far_hold', 'far_refer', 'on_refer', 'headers'],
      missingFile: '/nowhere/missing.wav',
      // The machine may be busy with other work.
      toleranceMs: 400,
      close: async () => {
        this.#idle.push(lodging);
      },
    };
  }

  async close(): Promise<void> {
    const { engine } = this.#site;
    await vi.waitFor(() => expect(engine.counts()).toMatchObject({ legs: 0, sessions: 0, crashed: 0 }), 10_000);
    await Promise.all([engine.stop(), ...this.#media.map((media) => media.stop())]);
  }

  async #lodging(): Promise<EngineAddress> {
    const address = this.#addresses.shift()!;
    const media = makeMedia({ host: address });
    this.#media.push(media);
    await media.start();
    return { address, media: keepRunning(media) };
  }
}

/** The port for one engine after another. */
const keepRunning = (media: MediaPort): MediaPort => ({
  start: async () => {},
  stop: async () => {},
  open: (request) => media.open(request),
  send: (mediaId, command) => media.send(mediaId, command),
});

/** The network's end of a call; actions before its leg exists are carried out when it arrives. */
export class Party implements ContractParty {
  #leg: Leg | undefined;
  #waiting: ((leg: Leg) => void)[] = [];
  #acts = 0;
  readonly #gapMs: number;

  /** `gapMs`: between key presses. */
  constructor(leg?: Leg, gapMs = 40) {
    this.#leg = leg;
    this.#gapMs = gapMs;
  }

  take(leg: Leg): void {
    this.#leg = leg;
    for (const act of this.#waiting.splice(0)) act(leg);
  }

  press(digits: string): void {
    this.#act((leg) => leg.send(sendDigits(`press-${++this.#acts}`, digits, this.#gapMs)));
  }

  speak(durationMs: number): void {
    this.#act((leg) => leg.send(play(`speak-${++this.#acts}`, [tone(500, durationMs)])));
  }

  hangUp(headers?: SipHeaders): void {
    this.#act((leg) => leg.send({ type: 'hangup', cause: 16, ...(headers && { headers }) }));
  }

  get headers(): SeenHeaders[] {
    return seenByLeg(this.#leg?.arrival?.headers, this.#leg?.events ?? []);
  }

  hold(held: boolean): void {
    this.#act((leg) => leg.send(held ? { type: 'hold', music: [] } : { type: 'resume' }));
  }

  refer(to: string): void {
    this.#act((leg) => leg.send({ type: 'refer', referId: `refer-${++this.#acts}`, to }));
  }

  onRefer(plan: ReferPlan): void {
    this.#act((leg) => {
      void leg.until('referred').then(({ referId }) => {
        if (plan.does === 'ignore') return;
        const sipStatus = plan.does === 'refuse' ? plan.sipStatus : 200;
        setTimeout(() => {
          if (plan.does === 'hang_up') leg.send({ type: 'hangup', cause: 16 });
          else leg.send({ type: 'refer_progress', referId, sipStatus });
        }, plan.afterMs ?? 0);
      });
    });
  }

  get referStatus(): number[] {
    return this.#leg?.all('refer_ended').map(({ sipStatus }) => sipStatus) ?? [];
  }

  get received(): string {
    return this.#leg?.digits ?? '';
  }

  #act(act: (leg: Leg) => void): void {
    if (this.#leg) act(this.#leg);
    else this.#waiting.push(act);
  }
}

export function perform(plan: CalleePlan, leg: Leg): void {
  const said = plan.headers && { headers: plan.headers };
  const after = (ms: number, act: () => void) => (ms === 0 ? act() : void setTimeout(act, ms));
  if (plan.does === 'answer' || plan.does === 'no_answer') {
    after(plan.ringsAfterMs ?? 0, () => leg.send({ type: 'ring' }));
    if (plan.does === 'no_answer') return;
    after(plan.afterMs ?? 0, () => leg.send({ type: 'answer', ...said }));
    const { talkMs } = plan;
    if (talkMs === undefined) return;
    void leg.until('answered').then(() => after(talkMs, () => leg.send({ type: 'hangup', cause: 16 })));
    return;
  }
  const sipStatus = plan.does === 'fail' ? plan.sipStatus : plan.does === 'busy' ? 486 : 603;
  after(plan.afterMs ?? 0, () => leg.send({ type: 'reject', sipStatus, ...said }));
}
