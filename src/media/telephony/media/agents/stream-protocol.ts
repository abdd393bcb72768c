/**
 * Adapter for the messages of streams (`docs/streams.md`), with those for agents (`docs/assistants.md`): for custom
 * bots.
 */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { FRAME_MS } from '../../audio.ts';
import { base64Of, FORMAT, soundIn } from '../stream-client.ts';
import { type AgentNews, type AgentProtocol, type ProtocolOptions, textAt } from './protocol.ts';

export class StreamProtocol implements AgentProtocol {
  readonly endsByClosing = true;
  readonly #options: ProtocolOptions;
  #frames = 0;

  constructor(options: ProtocolOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.agent.url;
  }

  opening(): object[] {
    const { assistantId, start, agent, instructions, language, tools, speaksFirst } = this.#options;
    const { voice, model } = agent;
    const assistant = { instructions, language, speaks_first: speaksFirst, voice, model, tools };
    const about = { ...start, tracks: ['inbound'], format: FORMAT, assistant };
    return [{ event: 'connected' }, { event: 'start_media', stream_id: assistantId, start: about }];
  }

  sound(bytes: Uint8Array): string {
    const timestamp = this.#frames++ * FRAME_MS;
    const payload = base64Of(bytes);
    return `{"event":"media","media":{"seq":${this.#frames},"timestamp":${timestamp},"track":"inbound","payload":"${payload}"}}`;
  }

  read(message: JsonObject): AgentNews[] {
    switch (message['event']) {
      case 'media': {
        const bytes = soundIn(message);
        return bytes ? [{ type: 'sound', bytes }] : [];
      }
      case 'clear_media':
        return [{ type: 'clear' }];
      case 'transcript': {
        const who = message['speaker'] === 'caller' ? 'caller' : 'agent';
        return [{ type: 'said', who, text: textAt(message, 'text') }];
      }
      case 'tool_call': {
        const given = message['arguments'] ?? {};
        const callId = textAt(message, 'call_id');
        return [{ type: 'called', callId, tool: textAt(message, 'name'), arguments: isObject(given) ? given : null }];
      }
      case 'mark':
        return [{ type: 'mark', name: textAt(message, 'name') }];
      case 'stop_media':
        return [{ type: 'over' }];
      default:
        return [];
    }
  }

  answer(callId: string, answer: Json, isError: boolean): object[] {
    return [{ event: 'tool_result', call_id: callId, is_error: isError, result: answer }];
  }

  key(digit: string): object[] {
    return [{ event: 'key', digit }];
  }

  speech(speaks: boolean): object[] {
    return [{ event: speaks ? 'speech_started' : 'speech_stopped' }];
  }

  cut(unheardMs: number): object[] {
    return [{ event: 'interrupted', unheard_ms: unheardMs }];
  }

  marked(name: string): object[] {
    return [{ event: 'mark', name }];
  }

  closing(): object[] {
    return [{ event: 'stop_media', stream_id: this.#options.assistantId }];
  }
}
