/**
 * Browser phones for the engine contract, over sockets: synthetic WebRTC peers call as pages do, through the process
 * that carries such calls. That process and the one of the peers outlive the harnesses, each of which has an engine of
 * the network.
 */
import { systemClock } from '../../src/base/core/clock.ts';
import { randomIds } from '../../src/base/core/ids.ts';
import { EmbeddedRoomEngine } from '../../src/media/rooms/embedded/engine.ts';
import { GatewayLegs } from '../../src/media/telephony/browser/gateway-legs.ts';
import type { LineEvent } from '../../src/media/telephony/browser/line-gateway.ts';
import type { BrowserFarEnd, BrowserNotice } from '../../src/media/telephony/browser-legs.ts';
import type { EngineHost } from '../../src/media/telephony/engine.ts';
import type { ContractFeature } from '../contracts/engine/engine-case.ts';
import type { ContractParty, EngineHarness } from '../contracts/engine/engine-contract.ts';
import type { PeerOrder, PhoneReception } from '../rooms/peers/peer-messages.ts';
import { People } from '../rooms/peers/people.ts';
import { Network } from './network.ts';

const HOST = '127.0.0.178';
const PORT = 22_178;

const DIALLED = 'browsers are not dialled; contract.test.ts dials telephones by the same engine';
const BY_REST = 'a page can neither hold nor transfer: applications do, by REST';

/**
 * Features that browsers lack, besides those missing in the network. The stop of an engine needs a ringing telephone.
 */
const CANNOT: Partial<Record<ContractFeature, string>> = {
  ...{
    dial_answer: DIALLED,
    dial_busy: DIALLED,
    dial_declined: DIALLED,
    dial_fail: DIALLED,
    dial_unreachable: DIALLED,
  },
  ...{ far_hold: BY_REST, far_refer: BY_REST },
  on_refer: 'a browser cannot be sent elsewhere: browser-leg.test.ts has the refusal',
};

export class BrowserPhones {
  readonly #network: Network;
  readonly #people = new People();
  readonly #gateway = new EmbeddedRoomEngine({ host: HOST, port: PORT, clock: systemClock, log: () => {} });

  /** `prefix`: the first three numbers of the loopback addresses to use. */
  static async open(prefix: string): Promise<BrowserPhones> {
    const phones = new BrowserPhones(await Network.open(prefix));
    await phones.#gateway.start({ event: () => undefined, restarted: () => undefined });
    await phones.startProcesses();
    return phones;
  }

  private constructor(network: Network) {
    this.#network = network;
  }

  async harness(): Promise<EngineHarness> {
    const { engine, media, ...network } = await this.#network.harness();
    const parts = { carrier: engine.attached, media, clock: systemClock, log: () => {} };
    const browsers = new GatewayLegs(parts).behind(this.#gateway.webphones);
    let host: EngineHost | undefined;
    const phones: BrowserPhone[] = [];
    return {
      ...network,
      engine: {
        ...engine,
        start(given) {
          host = given;
          return engine.start(given);
        },
      },
      async elapse(ms) {
        await network.elapse(ms);
        await Promise.all(phones.map((phone) => phone.look()));
      },
      callIn: async () => {
        const phone = new BrowserPhone(this.#people);
        phones.push(phone);
        const sdp = await phone.offer();
        const { legId } = phone;
        phone.called(browsers.open({ legId, sdp }, (notice) => phone.notice(notice)));
        // Calls of browsers reach the host as in the service: not through the engine.
        host!.incoming({ legId, from: 'webphone', to: '1000' });
        return phone;
      },
      cannot: { ...network.cannot, ...CANNOT },
      can: ['hear'],
      async close() {
        await Promise.all(phones.map((phone) => phone.close()));
        await network.close();
      },
    };
  }

  /** The processes start with the first call, which takes longer than the timeout of a case. */
  async startProcesses(): Promise<void> {
    const phone = new BrowserPhone(this.#people);
    const sdp = await phone.offer();
    const { webphones } = this.#gateway;
    await new Promise<LineEvent>((resolve) =>
      webphones.open(phone.legId, { sdp, rtp: { host: HOST, port: 9 } }, resolve),
    );
    webphones.close(phone.legId);
    await phone.close();
  }

  /** Kills the process that carries the calls of all phones; another one carries the next. */
  killGateway(): void {
    process.kill(this.#gateway.processId!, 'SIGKILL');
  }

  async close(): Promise<void> {
    await this.#people.stop();
    await this.#gateway.stop();
    await this.#network.close();
  }
}

/** The page and its connection. */
class BrowserPhone implements ContractParty {
  readonly legId = randomIds.next('leg');
  readonly #people: People;
  #farEnd: BrowserFarEnd | undefined;
  #isOpen = true;
  #closed: Promise<void> | undefined;
  #last: PhoneReception = { heardMs: 0, digits: '' };

  constructor(people: People) {
    this.#people = people;
  }

  async offer(): Promise<string> {
    await this.#order({ type: 'add_phone', address: HOST });
    return this.#order<string>({ type: 'phone.call' });
  }

  called(farEnd: BrowserFarEnd): void {
    this.#farEnd = farEnd;
  }

  notice(notice: BrowserNotice): void {
    if (notice.type === 'answer') void this.#order({ type: 'phone.answer', sdp: notice.sdp });
    if (notice.type === 'ended') void this.close();
  }

  /** Closes the connection alone, which does not hang up the call. */
  close(): Promise<void> {
    this.#isOpen = false;
    this.#closed ??= this.#order({ type: 'close' });
    return this.#closed;
  }

  /** Waits until the audio received so far is known. */
  async look(): Promise<void> {
    if (this.#isOpen) this.#last = await this.#order<PhoneReception>({ type: 'phone.received' });
  }

  press(digits: string): void {
    void this.#order({ type: 'phone.press', digits });
  }

  speak(durationMs: number): void {
    void this.#order({ type: 'phone.speak', durationMs });
  }

  hangUp(): void {
    this.#farEnd!.hangUp();
  }

  get received(): string {
    return this.#last.digits;
  }

  get heardMs(): number {
    return this.#last.heardMs;
  }

  #order<Result = void>(order: PeerOrder): Promise<Result> {
    return this.#people.order<Result>(this.legId, order);
  }
}
