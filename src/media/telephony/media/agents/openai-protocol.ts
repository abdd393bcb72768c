/**
 * Adapter for the Realtime API of OpenAI over a WebSocket. The API uses G.711 mu-law directly, detects the end of the
 * party's speech, and then responds. Audio that is cut is also truncated there, so that the model knows how much of it
 * was heard.
 */
import { isObject, type Json, type JsonObject, parseJson } from '../../../../base/core/json.ts';
import { SAMPLES_PER_MS } from '../../audio.ts';
import { base64Of, bytesOf } from '../stream-client.ts';
import { type AgentNews, type AgentProtocol, type ProtocolOptions, textAt } from './protocol.ts';

const MU_LAW = { type: 'audio/pcmu' };
const TRANSCRIBER = 'gpt-4o-mini-transcribe';

export class OpenAiProtocol implements AgentProtocol {
  readonly endsByClosing = false;
  readonly #options: ProtocolOptions;
  #isReady = false;
  /** Current item of the response, and its amount of audio. */
  #item: { id: string; bytes: number } | undefined;
  /** Item whose further audio is dropped. */
  #cutItem: string | undefined;
  /** True while a response is in progress, during which another one cannot be requested. */
  #isResponding = false;
  #wantsResponse = false;

  constructor(options: ProtocolOptions) {
    this.#options = options;
  }

  get url(): string {
    const { url, model } = this.#options.agent;
    if (model === undefined || /[?&]model=/.test(url)) return url;
    return `${url}${url.includes('?') ? '&' : '?'}model=${encodeURIComponent(model)}`;
  }

  opening(): object[] {
    const { agent, instructions, language, tools } = this.#options;
    const [spoken = ''] = language.split('-');
    const functions = tools.map(({ name, description, parameters }) => {
      return { type: 'function', name, description, parameters };
    });
    const session = {
      type: 'realtime',
      output_modalities: ['audio'],
      instructions,
      audio: {
        input: {
          format: MU_LAW,
          transcription: { model: TRANSCRIBER, language: spoken },
          turn_detection: { type: 'server_vad', create_response: true, interrupt_response: true },
        },
        output: { format: MU_LAW, ...(agent.voice !== undefined && { voice: agent.voice }) },
      },
      tools: functions,
      tool_choice: 'auto',
    };
    return [{ type: 'session.update', session }];
  }

  sound(bytes: Uint8Array): string {
    return `{"type":"input_audio_buffer.append","audio":"${base64Of(bytes)}"}`;
  }

  read(message: JsonObject): AgentNews[] {
    switch (message['type']) {
      case 'session.updated':
        if (this.#isReady) return [];
        this.#isReady = true;
        return [{ type: 'ready' }];
      case 'input_audio_buffer.speech_started':
        return [{ type: 'hears' }];
      case 'response.created':
        this.#isResponding = true;
        return [];
      case 'response.done':
        this.#isResponding = false;
        return [];
      case 'response.output_audio.delta':
      case 'response.audio.delta':
        return this.#heard(textAt(message, 'item_id'), bytesOf(textAt(message, 'delta')));
      case 'response.output_audio_transcript.done':
      case 'response.audio_transcript.done':
        return [{ type: 'said', who: 'agent', text: textAt(message, 'transcript') }];
      case 'conversation.item.input_audio_transcription.completed':
        return [{ type: 'said', who: 'caller', text: textAt(message, 'transcript').trim() }];
      case 'response.output_item.done':
        return isObject(message['item']) ? calledIn(message['item']) : [];
      case 'error': {
        const { error } = message;
        const code = isObject(error) ? textAt(error, 'code') || textAt(error, 'type') : '';
        // Later errors concern single messages, such as a response that was cancelled too late.
        return this.#isReady ? [] : [{ type: 'broken', cause: code.slice(0, 100) }];
      }
      default:
        return [];
    }
  }

  answer(callId: string, answer: Json, _isError: boolean): object[] {
    const output = typeof answer === 'string' ? answer : JSON.stringify(answer);
    const item = { type: 'function_call_output', call_id: callId, output };
    this.#wantsResponse = true;
    return [{ type: 'conversation.item.create', item }, ...this.#asked()];
  }

  key(digit: string): object[] {
    const content = [{ type: 'input_text', text: `The caller pressed the key ${digit}.` }];
    this.#wantsResponse = true;
    return [{ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } }, ...this.#asked()];
  }

  speech(): object[] {
    return [];
  }

  cut(unheardMs: number): object[] {
    const item = this.#item;
    if (!item) return [];
    this.#item = undefined;
    this.#cutItem = item.id;
    const heardMs = Math.max(0, Math.floor(item.bytes / SAMPLES_PER_MS - unheardMs));
    const cancel = this.#isResponding ? [{ type: 'response.cancel' }] : [];
    return [
      ...cancel,
      { type: 'conversation.item.truncate', item_id: item.id, content_index: 0, audio_end_ms: heardMs },
    ];
  }

  marked(): object[] {
    return [];
  }

  closing(): object[] {
    return [];
  }

  /** Returns requests to send after its messages were read: a response is requested once the current one has ended. */
  pending(news: readonly AgentNews[]): object[] {
    if (news.some(({ type }) => type === 'ready') && this.#options.speaksFirst === 'agent') this.#wantsResponse = true;
    return this.#asked();
  }

  #asked(): object[] {
    if (!this.#wantsResponse || this.#isResponding || !this.#isReady) return [];
    this.#wantsResponse = false;
    this.#isResponding = true;
    return [{ type: 'response.create' }];
  }

  #heard(id: string, bytes: Uint8Array | undefined): AgentNews[] {
    if (!bytes || id === this.#cutItem) return [];
    if (this.#item?.id !== id) this.#item = { id, bytes: 0 };
    this.#item.bytes += bytes.length;
    return [{ type: 'sound', bytes }];
  }
}

function calledIn(item: JsonObject): AgentNews[] {
  if (item['type'] !== 'function_call') return [];
  const given = parseJson(textAt(item, 'arguments') || '{}');
  const args = isObject(given) ? given : null;
  return [{ type: 'called', callId: textAt(item, 'call_id'), tool: textAt(item, 'name'), arguments: args }];
}
