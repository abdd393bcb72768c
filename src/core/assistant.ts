/** AI agents that talk with a party of a call, as data: where they are, what they may do. */
import type { JsonObject } from './json.ts';

/**
 * `openai`: the Realtime API of OpenAI, and all that speaks it. `stream`: the messages of `docs/streams.md`, with those for
 * agents. `twilio`: the messages of Twilio Media Streams, which know no tools.
 */
export const AGENT_ADAPTERS = ['openai', 'stream', 'twilio'] as const;
export type AgentAdapter = (typeof AGENT_ADAPTERS)[number];

/** An agent that stands in a flow. Secrets are in its headers alone. */
export interface InlineAgent {
  adapter: AgentAdapter;
  url: string;
  voice?: string;
  model?: string;
  headers: Readonly<Record<string, string>>;
}

/** One of the configuration. */
export interface ConfiguredAgent extends Omit<InlineAgent, 'headers'> {
  name: string;
  headers: Readonly<Record<string, string>>;
}

/** What the agent may call. */
export interface AssistantTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: JsonObject;
}

export interface AssistantOptions {
  /** The name of one of the configuration; empty: the first one. Its address and its secret are known to the engine alone. */
  agent: string | InlineAgent;
  /** The step that asks, for logs and for tests. */
  step: string;
  instructions: string;
  /** Language tag. */
  language: string;
  tools: readonly AssistantTool[];
  speaksFirst: 'agent' | 'caller';
  /** The party's voice cuts the agent's sound. */
  bargeIn: boolean;
  /** What the agent is given of the call. */
  start: JsonObject;
}
