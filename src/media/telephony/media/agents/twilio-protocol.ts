/**
 * Adapter for Twilio Media Streams, with the messages of `<Connect><Stream>`, so that existing bots run unchanged. The
 * protocol has no tools: such a bot ends the conversation by closing the connection.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { FRAME_MS } from '../../audio.ts';
import { base64Of, soundIn } from '../stream-client.ts';
import { type AgentNews, type AgentProtocol, type ProtocolOptions, textAt } from './protocol.ts';

const ACCOUNT = 'callweave';

export class TwilioProtocol implements AgentProtocol {
  readonly endsByClosing = true;
  readonly #options: ProtocolOptions;
  readonly #streamSid: string;
  readonly #callSid: string;
  #sequence = 0;
  #chunks = 0;

  constructor(options: ProtocolOptions) {
    this.#options = options;
    this.#streamSid = `MZ${options.assistantId}`;
    this.#callSid = String(options.start['voice_id'] ?? '');
  }

  get url(): string {
    return this.#options.agent.url;
  }

  opening(): object[] {
    const { start, instructions, language } = this.#options;
    const { from = '', to = '' } = start;
    const given = { from, to, language, ...(instructions !== '' && { instructions }) };
    return [
      { event: 'connected', protocol: 'Call', version: '1.0.0' },
      this.#numbered('start', {
        start: {
          streamSid: this.#streamSid,
          accountSid: ACCOUNT,
          callSid: this.#callSid,
          tracks: ['inbound'],
          customParameters: given,
          mediaFormat: { encoding: 'audio/x-mulaw', sampleRate: 8000, channels: 1 },
        },
      }),
    ];
  }

  sound(bytes: Uint8Array): string {
    const timestamp = String(this.#chunks++ * FRAME_MS);
    const media = { track: 'inbound', chunk: String(this.#chunks), timestamp, payload: base64Of(bytes) };
    return JSON.stringify(this.#numbered('media', { media }));
  }

  read(message: JsonObject): AgentNews[] {
    switch (message['event']) {
      case 'media': {
        const bytes = soundIn(message);
        return bytes ? [{ type: 'sound', bytes }] : [];
      }
      case 'clear':
        return [{ type: 'clear' }];
      case 'mark': {
        const { mark } = message;
        return isObject(mark) ? [{ type: 'mark', name: textAt(mark, 'name') }] : [];
      }
      default:
        return [];
    }
  }

  answer(_callId: string, _answer: Json, _isError: boolean): object[] {
    return [];
  }

  key(digit: string): object[] {
    return [this.#numbered('dtmf', { dtmf: { track: 'inbound_track', digit } })];
  }

  speech(): object[] {
    return [];
  }

  /** The marks tell the bot that its audio was cut. */
  cut(): object[] {
    return [];
  }

  marked(name: string): object[] {
    return [this.#numbered('mark', { mark: { name } })];
  }

  closing(): object[] {
    return [this.#numbered('stop', { stop: { accountSid: ACCOUNT, callSid: this.#callSid } })];
  }

  #numbered(event: string, content: object): object {
    return { event, sequenceNumber: String(++this.#sequence), ...content, streamSid: this.#streamSid };
  }
}
