/**
 * A network for the engine contract around a real Asterisk: an embedded engine, whose legs are the parties. Each harness
 * has an engine and an application of Asterisk of its own.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { silentLog } from '../../src/base/core/silent-log.ts';
import { createHttpClient, type HttpClient } from '../../src/base/http/http-client.ts';
import { createAudioLibrary } from '../../src/media/speech/audio-library.ts';
import { AsteriskEngine } from '../../src/media/telephony/asterisk/engine.ts';
import type { NodeLease } from '../../src/media/telephony/asterisk/leg-guard.ts';
import type { CalleePlan } from '../../src/media/telephony/simulated/far-end.ts';
import type { EngineHarness } from '../contracts/engine/engine-contract.ts';
import { Party, perform } from '../engine/network.ts';
import { Site } from '../engine/site.ts';
import { type AsteriskPeer, SECRET, startAsterisk, USER } from './asterisk.ts';

/** Asterisk hears keys twice that are pressed sooner after each other than 45 ms. */
export const GAP_MS = 60;

export class AsteriskNetwork {
  readonly asterisk: AsteriskPeer;
  readonly site: Site;
  readonly directory = mkdtempSync(join(tmpdir(), 'callweave-sounds-'));
  readonly #http: HttpClient;
  readonly #expected = new Map<string, { plan: CalleePlan; party: Party }>();
  #harnesses = 0;

  /** `prefix`: the first three numbers of the loopback addresses to use. */
  static async open(prefix: string, more: Readonly<Record<string, string>> = {}): Promise<AsteriskNetwork> {
    const [address, trunk] = [`${prefix}.1`, `${prefix}.2`];
    const asterisk = startAsterisk(address, `${trunk}:5060`, more);
    return new AsteriskNetwork(asterisk, await Site.open({ host: trunk, port: 5060, allowSipUris: [address] }));
  }

  private constructor(asterisk: AsteriskPeer, site: Site) {
    this.asterisk = asterisk;
    this.site = site;
    this.#http = createHttpClient({ clock: systemClock, connections: 64 });
    site.onArrival = (leg) => {
      const expected = this.#expected.get(leg.arrival!.to);
      if (!expected) return leg.send({ type: 'reject', sipStatus: 404 });
      expected.party.take(leg);
      perform(expected.plan, leg);
    };
  }

  /** `lease`: of a node among others. */
  engine(application: string, lease?: NodeLease): AsteriskEngine {
    return new AsteriskEngine(
      {
        ...{ url: this.asterisk.url, user: USER, secret: SECRET, application, trunk: 'carrier' },
        ...{ mediaDirectory: this.directory, recordDirectory: this.directory, lease },
      },
      {
        ...{ http: this.#http, clock: systemClock, ids: randomIds, log: () => {} },
        audio: createAudioLibrary({ synthesizers: [], log: silentLog }),
      },
    );
  }

  /** A number that rings here. */
  expect(plan: CalleePlan): { to: string; party: Party } {
    const party = new Party(undefined, GAP_MS);
    const to = `+331000${this.#expected.size}`;
    this.#expected.set(to, { plan, party });
    return { to, party };
  }

  async harness(): Promise<EngineHarness> {
    const application = `contract${++this.#harnesses}`;
    const engine = this.engine(application);
    const uri = `sip:${application}-33199001122@${this.asterisk.address}:5060`;
    return {
      engine,
      elapse: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      callIn: async () => new Party(this.site.dial(uri), GAP_MS),
      callee: async (plan) => {
        const { to, party } = this.expect(plan);
        return { to: plan.does === 'unreachable' ? '+4400000' : to, party: () => party };
      },
      cannot: {
        random: 'its stories would take minutes in real time; they are played with the engines inside',
      },
      missingFile: '/nowhere/missing.wav',
      // Tolerance for a machine with other load, and for the processes of two engines.
      toleranceMs: 400,
      close: async () => {},
    };
  }

  async close(): Promise<void> {
    await this.site.engine.stop();
    await this.#http.close();
    this.asterisk.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }
}
