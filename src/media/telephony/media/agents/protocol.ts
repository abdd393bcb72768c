/**
 * Messages between an AI agent and a call, independent of the wire format: `stream-protocol.ts`, `openai-protocol.ts`
 * and `twilio-protocol.ts` are the adapters, `agent-session.ts` runs the conversation. Adapters have no socket and no
 * clock: they translate messages in both directions.
 */
import type { AssistantOptions, InlineAgent } from '../../../../base/core/assistant.ts';
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import type { Talker } from '../../../../base/core/leg.ts';

/** Content of a message of the agent. */
export type AgentNews =
  /** The agent accepts audio. */
  | { type: 'ready' }
  /** Audio in mu-law. */
  | { type: 'sound'; bytes: Uint8Array }
  /** Queued audio of the agent must not be played any more. */
  | { type: 'clear' }
  /** The agent detected speech of the party. */
  | { type: 'hears' }
  | { type: 'said'; who: Talker; text: string }
  | { type: 'called'; callId: string; tool: string; arguments: Json }
  /** The agent requests a notice when the audio that it has sent so far was heard. */
  | { type: 'mark'; name: string }
  /** The agent ends the conversation. */
  | { type: 'over' }
  | { type: 'broken'; cause: string };

export interface AgentProtocol {
  /** URL of the connection. */
  readonly url: string;
  /** Messages to send once the connection is open. */
  opening(): object[];
  /** Message with 20 ms of the party's audio. */
  sound(bytes: Uint8Array): string;
  read(message: JsonObject): AgentNews[];
  /** Messages to send after a message was read. */
  pending?(news: readonly AgentNews[]): object[];
  answer(callId: string, answer: Json, isError: boolean): object[];
  key(digit: string): object[];
  /** The party starts or stops speaking. */
  speech(speaks: boolean): object[];
  /** The party interrupted the agent: the last `unheardMs` of its audio were not heard. */
  cut(unheardMs: number): object[];
  marked(name: string): object[];
  closing(): object[];
  /** True if a normal close of the connection ends the conversation instead of being a failure. */
  readonly endsByClosing: boolean;
}

export interface ProtocolOptions extends AssistantOptions {
  assistantId: string;
  agent: InlineAgent;
}

/** Text field of a message; empty if it is not a text. */
export const textAt = (message: JsonObject, key: string): string => {
  const text = message[key];
  return typeof text === 'string' ? text : '';
};
