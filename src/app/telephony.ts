/** Room 3: what carries calls: the engine inside, or an Asterisk. */
import type { PromptAudio } from '../calls/play-order.ts';
import type { Config } from '../config.ts';
import type { FigureSource } from '../core/figures.ts';
import type { PhoneSound } from '../rooms/phone-sound.ts';
import type { Recognizers } from '../speech/recognition/recognizers.ts';
import type { LineGateway } from '../telephony/browser/line-gateway.ts';
import type { BrowserLegs } from '../telephony/browser-legs.ts';
import type { Engine, SurvivingEngine } from '../telephony/engine.ts';
import type { MixLinks } from '../telephony/mix-links.ts';
import type { SipAddress } from '../telephony/sip/engine-options.ts';
import type { CarrierState } from '../telephony/sip/gateway-watch.ts';

export interface Telephony {
  engine: Engine;
  /** Where its legs outlive this process: other nodes go on with them. */
  surviving?: SurvivingEngine;
  sounds: PromptAudio;
  reaches?(to: string): boolean;
  /** Calls from browsers; absent: the engine has none. */
  browsers?(gateway: LineGateway): BrowserLegs;
  /** Where calls come in; known after the start. */
  address?(): SipAddress;
  /** For metrics. */
  figures?: readonly FigureSource[];
  /** For health. */
  registrations?(): { wanted: number; registered: number };
  carriers?(): readonly CarrierState[];
  /** When the first of our TLS certificates expires, in milliseconds since 1970; absent: there is none. */
  certificateExpiryMs?(): number;
  /** Whether new calls are taken; those that go on go on. */
  acceptCalls?(isAccepting: boolean): void;
  /** Reads the certificates of a configuration. Throws when they cannot be used; nothing changes before `use`. */
  prepareCertificates?(sip: Config['sip']): { isChanged: boolean; use(): void };
  recognition?: Recognizers['engines'];
  /** For rooms: how browsers and telephones hear each other. */
  phoneSound?: PhoneSound;
  /** Links of mixes with those of other nodes; absent: calls meet within their nodes. */
  mixLinks?: MixLinks;
  /** Frees what is left when the engine is stopped, or was never started. */
  release?(): Promise<void>;
}
