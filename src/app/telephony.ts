/** Stage 3 of the composition: the telephony engine, either embedded or Asterisk. */
import type { FigureSource } from '../base/core/figures.ts';
import type { Config } from '../config.ts';
import type { PhoneSound } from '../media/rooms/phone-sound.ts';
import type { Recognizers } from '../media/speech/recognizers.ts';
import type { LineGateway } from '../media/telephony/browser/line-gateway.ts';
import type { BrowserLegs } from '../media/telephony/browser-legs.ts';
import type { Engine, SurvivingEngine } from '../media/telephony/engine.ts';
import type { MixLinks } from '../media/telephony/mix-links.ts';
import type { Recognizer } from '../media/telephony/recognition.ts';
import type { RegisteredPhone, SipAddress } from '../media/telephony/sip/engine-options.ts';
import type { CarrierState } from '../media/telephony/sip/gateway-watch.ts';
import type { PromptAudio } from '../service/calls/prompts/play-order.ts';

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
  /** Registered phones of a user. Absent if the engine does not know them. */
  phonesOf?(user: string): readonly RegisteredPhone[];
  /**
   * Earliest expiry of the TLS certificates of this service, in milliseconds since 1970. Absent without certificates.
   */
  certificateExpiryMs?(): number;
  /** Accepts or refuses new calls; active calls continue. */
  acceptCalls?(isAccepting: boolean): void;
  /** Reads the certificates of a configuration. Throws if they cannot be used; nothing changes before `use`. */
  prepareCertificates?(sip: Config['sip']): { isChanged: boolean; use(): void };
  recognition?: Recognizers['engines'];
  /** Recogniser of speech outside of calls. */
  recognizer?: Recognizer;
  /** Audio between browsers and telephones in rooms. */
  phoneSound?: PhoneSound;
  /** Links between mixes of different nodes. Absent if calls of different nodes cannot meet. */
  mixLinks?: MixLinks;
  /** Releases the remaining resources after the engine was stopped, or if it was never started. */
  release?(): Promise<void>;
}
