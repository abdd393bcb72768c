/**
 * Requests: leg commands that are answered. A request, the command that stops it and its answers share an id. The key
 * of a request is prefixed with its kind, because a play and a recording may have the same id. `leg.ts` defines
 * commands and events; engines and their contract suite count answers by these keys.
 */
import type { LegCommand, LegEvent } from './leg.ts';

/** The name of the id field, and the command that stops the request. */
export const REQUESTS = {
  play: { id: 'playId', stop: 'stop_play' },
  record: { id: 'recordId', stop: 'stop_record' },
  send_digits: { id: 'sendId', stop: undefined },
  stream: { id: 'streamId', stop: 'stop_stream' },
  assistant: { id: 'assistantId', stop: 'stop_assistant' },
  listen: { id: 'listenId', stop: 'stop_listen' },
  detect_machine: { id: 'detectId', stop: 'stop_detect' },
  refer: { id: 'referId', stop: undefined },
} as const;

type Requests = typeof REQUESTS;
export type RequestType = keyof Requests;

/** A request without its id. */
export type LegRequest = {
  [Type in RequestType]: Omit<Extract<LegCommand, { type: Type }>, Requests[Type]['id']>;
}[RequestType];

const ANSWERS: Readonly<Partial<Record<LegEvent['type'], { to: RequestType; isFinal: boolean }>>> = {
  play_ended: { to: 'play', isFinal: true },
  record_ended: { to: 'record', isFinal: true },
  digits_sent: { to: 'send_digits', isFinal: true },
  stream_started: { to: 'stream', isFinal: false },
  stream_ended: { to: 'stream', isFinal: true },
  assistant_started: { to: 'assistant', isFinal: false },
  assistant_turn: { to: 'assistant', isFinal: false },
  assistant_said: { to: 'assistant', isFinal: false },
  assistant_called: { to: 'assistant', isFinal: false },
  assistant_ended: { to: 'assistant', isFinal: true },
  speech_started: { to: 'listen', isFinal: false },
  utterance: { to: 'listen', isFinal: false },
  listen_ended: { to: 'listen', isFinal: true },
  machine_detected: { to: 'detect_machine', isFinal: true },
  refer_ended: { to: 'refer', isFinal: true },
};

const isRequest = (type: string): type is RequestType => Object.hasOwn(REQUESTS, type);

function keyOf(type: RequestType, message: LegCommand | LegEvent): string {
  return `${type} ${(message as unknown as Record<string, string>)[REQUESTS[type].id]}`;
}

/** The key of a request; undefined for a command that is not answered. */
export const requestKeyOf = (command: LegCommand): string | undefined =>
  isRequest(command.type) ? keyOf(command.type, command) : undefined;

/** The key of the request that this command stops. */
export function stoppedRequestOf(command: LegCommand): string | undefined {
  for (const [type, { stop }] of Object.entries(REQUESTS)) {
    if (stop === command.type) return keyOf(type as RequestType, command);
  }
  return undefined;
}

/** The request that an event answers. `isFinal`: no more answers follow. */
export function answeredRequestOf(event: LegEvent): { name: string; isFinal: boolean } | undefined {
  const answer = ANSWERS[event.type];
  return answer && { name: keyOf(answer.to, event), isFinal: answer.isFinal };
}
