/**
 * What an AI agent and a call say to each other, whatever messages it takes: `stream-protocol.ts`, `openai-protocol.ts` and
 * `twilio-protocol.ts` are its adapters, `agent-session.ts` keeps the conversation. Adapters own no socket and no clock:
 * messages in, news and messages out.
 */
import type { AssistantOptions, InlineAgent } from '../../../core/assistant.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type { Talker } from '../../../core/leg.ts';

/** What a message of the agent says. */
export type AgentNews =
  /** It may be spoken to. */
  | { type: 'ready' }
  /** In mu-law. */
  | { type: 'sound'; bytes: Uint8Array }
  /** What it has sent of sound is not to be heard any more. */
  | { type: 'clear' }
  /** It hears the party speak. */
  | { type: 'hears' }
  | { type: 'said'; who: Talker; text: string }
  | { type: 'called'; callId: string; tool: string; arguments: Json }
  /** It wants to know when what it has sent so far has been heard. */
  | { type: 'mark'; name: string }
  /** It ends the conversation. */
  | { type: 'over' }
  | { type: 'broken'; cause: string };

export interface AgentProtocol {
  /** The URL as it is connected to. */
  readonly url: string;
  /** Once the connection is there. */
  opening(): object[];
  /** 20 ms of what the party says. */
  sound(bytes: Uint8Array): string;
  read(message: JsonObject): AgentNews[];
  /** What is to be sent after a message was read. */
  pending?(news: readonly AgentNews[]): object[];
  answer(callId: string, answer: Json, isError: boolean): object[];
  key(digit: string): object[];
  /** The party begins or ends to speak. */
  speech(speaks: boolean): object[];
  /** The party spoke into what the agent said: the last `unheardMs` of it were not heard. */
  cut(unheardMs: number): object[];
  marked(name: string): object[];
  closing(): object[];
  /** A connection that is closed normally is the end of the conversation, not a failure. */
  readonly endsByClosing: boolean;
}

export interface ProtocolOptions extends AssistantOptions {
  assistantId: string;
  agent: InlineAgent;
}

/** A text of a message; anything else is none. */
export const textAt = (message: JsonObject, key: string): string => {
  const text = message[key];
  return typeof text === 'string' ? text : '';
};
