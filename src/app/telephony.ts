/** Stage 3 of the composition: the telephony engine, either embedded or Asterisk. */
import type { PromptAudio } from '../calls/prompts/play-order.ts';
import type { Config } from '../config.ts';
import type { FigureSource } from '../core/figures.ts';
import type { PhoneSound } from '../rooms/phone-sound.ts';
import type { Recognizers } from '../speech/recognizers.ts';
import type { LineGateway } from '../telephony/browser/line-gateway.ts';
import type { BrowserLegs } from '../telephony/browser-legs.ts';
import type { Engine, SurvivingEngine } from '../telephony/engine.ts';
import type { MixLinks } from '../telephony/mix-links.ts';
import type { SipAddress } from '../telephony/sip/engine-options.ts';
import type { CarrierState } from '../telephony/sip/gateway-watch.ts';

export interface Telephony {
  engine: Engine;
  /** Present if legs outlive this process, so that other nodes can resume their calls. */
  surviving?: SurvivingEngine;
  sounds: PromptAudio;
  reaches?(to: string): boolean;
  /** Calls from browsers. Absent if the engine has none. */
  browsers?(gateway: LineGateway): BrowserLegs;
  /** SIP address of the listener, known after the start. */
  address?(): SipAddress;
  /** Metrics of the engine. */
  figures?: readonly FigureSource[];
  /** State of the registrations, for `/health`. */
  registrations?(): { wanted: number; registered: number };
  carriers?(): readonly CarrierState[];
  /**
   * Earliest expiry of the TLS certificates of this service, in milliseconds since 1970. Absent without certificates.
   */
  certificateExpiryMs?(): number;
  /** Accepts or refuses new calls; active calls continue. */
  acceptCalls?(isAccepting: boolean): void;
  /** Reads the certificates of a configuration. Throws if they cannot be used; nothing changes before `use`. */
  prepareCertificates?(sip: Config['sip']): { isChanged: boolean; use(): void };
  recognition?: Recognizers['engines'];
  /** Audio between browsers and telephones in rooms. */
  phoneSound?: PhoneSound;
  /** Links between mixes of different nodes. Absent if calls of different nodes cannot meet. */
  mixLinks?: MixLinks;
  /** Releases the remaining resources after the engine was stopped, or if it was never started. */
  release?(): Promise<void>;
}
