/** Data types of AI agents that talk with a party of a call: their connection, their tools and their options. */
import type { JsonObject } from './json.ts';

/**
 * `openai`: the Realtime API of OpenAI and compatible services. `stream`: the messages of `docs/streams.md` with the
 * additions for agents. `twilio`: the messages of Twilio Media Streams, which do not support tools.
 */
export const AGENT_ADAPTERS = ['openai', 'stream', 'twilio'] as const;
export type AgentAdapter = (typeof AGENT_ADAPTERS)[number];

/** An agent that is defined in a flow. Only its headers may contain secrets. */
export interface InlineAgent {
  adapter: AgentAdapter;
  url: string;
  voice?: string;
  model?: string;
  headers: Readonly<Record<string, string>>;
}

/** An agent that is defined in the configuration. */
export interface ConfiguredAgent extends Omit<InlineAgent, 'headers'> {
  name: string;
  headers: Readonly<Record<string, string>>;
}

/** A function that the agent may call. */
export interface AssistantTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
}

export interface AssistantOptions {
  /** Name of a configured agent; if empty, the first one. Only the engine knows its URL and its secret. */
  agent: string | InlineAgent;
  /** Name of the step that starts the agent, for logs and tests. */
  step: string;
  instructions: string;
  /** Language tag. */
  language: string;
  tools: readonly AssistantTool[];
  speaksFirst: 'agent' | 'caller';
  /** True if the voice of the party interrupts the audio of the agent. */
  bargeIn: boolean;
  /** Data of the call that the agent receives at the start. */
  start: JsonObject;
}
