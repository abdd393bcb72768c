/** Commands and events of a leg as text for `trace-text.ts`. */
import { isSipRefusal } from '../../../base/core/causes.ts';
import { formatDuration } from '../../../base/core/duration.ts';
import { withHeaders } from '../../../base/core/header-text.ts';
import type { AudioItem, LegCommand, LegEvent, LegSip } from '../../../base/core/leg.ts';

type Named<Union extends { type: string }, Type extends Union['type']> = Extract<Union, { type: Type }>;
type Details = { details: boolean };

/** SIP: a 2xx final response (RFC 3261 §7.2). */
const isSuccess = (sipStatus: number): boolean => sipStatus >= 200 && sipStatus < 300;

const ENDED_BY = { far: 'the other side hung up', near: 'hung up', network: 'the network ended the call' };

function endText(by: keyof typeof ENDED_BY, { status = 0, reason }: Partial<LegSip> = {}): string {
  const isRefusal = by === 'far' && isSipRefusal(status);
  const why = [...(status >= 300 ? [String(status)] : []), ...(reason === undefined ? [] : [`Reason: ${reason}`])];
  return `${isRefusal ? 'the other side refused' : ENDED_BY[by]}${why.length > 0 ? ` (${why.join(', ')})` : ''}`;
}

const SIP_WORDS: { [Key in Exclude<keyof LegSip, 'attempts' | 'reason'>]: string } = {
  callId: 'Call-ID',
  remote: 'at',
  route: 'route',
  gateway: 'gateway',
  userAgent: 'User-Agent',
  status: 'status',
  postDialMs: 'post-dial delay',
  ringMs: 'rang for',
};

/** `; Call-ID abc, at udp:192.0.2.1:5060`, and the gateways that were tried before. */
export function sipDetails(sip: LegSip | undefined): string {
  if (sip === undefined) return '';
  const words = (Object.keys(SIP_WORDS) as (keyof typeof SIP_WORDS)[]).flatMap((key) => {
    const value = sip[key];
    if (value === undefined) return [];
    return [`${SIP_WORDS[key]} ${key.endsWith('Ms') ? formatDuration(Number(value)) : value}`];
  });
  const others = (sip.attempts ?? []).map((attempt) => `; also tried${sipDetails(attempt).slice(1)}`);
  return `; ${words.join(', ')}${others.join('')}`;
}

/** Undefined for events that are shown only with `--details`. */
const EVENTS: { [Type in LegEvent['type']]: (event: Named<LegEvent, Type>, shown: Details) => string | undefined } = {
  created: (_, { details }) => (details ? 'is about to be called' : undefined),
  ringing: () => 'far end rings',
  answered: ({ sip }, { details }) => `answered${details ? sipDetails(sip) : ''}`,
  early_media: () => 'is heard before the answer',
  digit: ({ digit }) => `presses ${digit}`,
  play_ended({ reason, fault, playedMs }, { details }) {
    if (reason === 'failed') return `prompt failed${because(fault)}`;
    return details ? `prompt ${reason} after ${formatDuration(playedMs)}` : undefined;
  },
  record_ended({ durationMs, speechMs, reason }) {
    const spoken = `${formatDuration(durationMs)}, of which ${formatDuration(speechMs)} speech`;
    return `recorded ${spoken} (${reason.replaceAll('_', ' ')})`;
  },
  digits_sent: (_, { details }) => (details ? 'digits sent' : undefined),
  stream_started: (_, { details }) => (details ? 'stream is connected' : undefined),
  stream_ended: ({ reason, fault }) => `stream ended (${reason})${because(fault)}`,
  assistant_started: (_, { details }) => (details ? 'agent is connected' : undefined),
  assistant_turn: ({ who, speaks }, { details }) =>
    details ? `${who} ${speaks ? 'begins' : 'ends'} to speak` : undefined,
  assistant_said: ({ who }, { details }) => (details ? `${who} says something` : undefined),
  assistant_called: ({ tool, arguments: given }) => `agent calls ${tool} with ${JSON.stringify(given)}`,
  assistant_ended: ({ reason, fault }) => `conversation with the agent ended (${reason})${because(fault)}`,
  speech_started: (_, { details }) => (details ? 'begins to speak' : undefined),
  utterance: ({ text }, { details }) => (details ? `was understood: ${JSON.stringify(text)}` : undefined),
  listen_ended: (event) => LISTENING[event.reason](event),
  machine_detected: ({ result, afterMs }) => `${result} (after ${formatDuration(afterMs)})`,
  far_hold: ({ held }) => (held ? 'puts us on hold' : 'takes us back'),
  referred: ({ to }) => `asks to be connected with ${to}`,
  refer_ended: ({ sipStatus }) =>
    isSuccess(sipStatus) ? 'reached its new party' : `failed to reach its new party (${sipStatus})`,
  ended: ({ by, sip }, { details }) => `${endText(by, sip)}${details ? sipDetails(sip) : ''}`,
};

type ListenEnded = Named<LegEvent, 'listen_ended'>;

const LISTENING: { [Reason in ListenEnded['reason']]: (event: ListenEnded) => string } = {
  recognized: ({ text = '', confidence }) => `says ${JSON.stringify(text)}${certainty(confidence)}`,
  no_match: ({ text, confidence }) =>
    text === undefined
      ? 'was not understood'
      : `was not understood, perhaps ${JSON.stringify(text)}${certainty(confidence)}`,
  no_input: () => 'says nothing',
  stopped: () => 'is no longer listened to',
  failed: ({ fault }) => `could not be listened to${because(fault)}`,
};

const certainty = (confidence: number | undefined): string =>
  confidence === undefined ? '' : ` (${Math.round(confidence * 100)} %)`;

/** A command without an entry is described by its type. */
const COMMANDS: { [Type in LegCommand['type']]?: (command: Named<LegCommand, Type>) => string } = {
  play: ({ audio, repeat }) => `plays ${audio.map(describeAudio).join(', ')}${repeat ? ', again and again' : ''}`,
  stop_play: () => 'stops playing',
  record: ({ dual, maxLengthMs }) => `records${dual ? ' both sides' : ''} for ${formatDuration(maxLengthMs)} at most`,
  pause_record: ({ paused }) => (paused ? 'pauses the recording' : 'resumes the recording'),
  stop_record: () => 'stops recording',
  send_digits: ({ digits }) => `sends ${digits}`,
  hold: () => 'puts on hold',
  resume: () => 'takes back from hold',
  join: ({ mixId, muted }) => `joins ${mixId}${muted ? ', muted' : ''}`,
  leave: () => 'leaves the conversation',
  mute: ({ muted }) => (muted ? 'mutes' : 'unmutes'),
  withhold: ({ on }) => (on ? 'gives recordings and streams silence' : 'gives recordings and streams the caller again'),
  stream: ({ url }) => `streams to ${url}`,
  stop_stream: () => 'stops streaming',
  assistant: ({ agent }) => `talks with the agent ${typeof agent === 'string' ? agent : agent.url}`,
  answer_assistant: ({ answer }) => `answers the agent ${JSON.stringify(answer)}`,
  key_assistant: ({ digit }) => `gives the agent the key ${digit}`,
  stop_assistant: () => 'ends the conversation with the agent',
  listen: ({ continuous }) => (continuous ? 'transcribes' : 'listens'),
  stop_listen: () => 'stops listening',
  detect_machine: () => 'listens for a machine',
  stop_detect: () => 'stops listening for a machine',
  refer: ({ to }) => `asks to call ${to}`,
  refer_progress: ({ sipStatus }) => `reports the transfer: ${sipStatus}`,
  reject: ({ sipStatus }) => `rejects with ${sipStatus}`,
  hangup: ({ cause }) => `hangs up (${cause})`,
  progress: () => 'opens the audio before the answer',
};

export function describeLegEvent(event: LegEvent, details: boolean): string | undefined {
  const describe = EVENTS[event.type] as ((event: LegEvent, shown: Details) => string | undefined) | undefined;
  const text = describe?.(event, { details });
  return text && text + withHeaders('headers' in event ? event.headers : undefined);
}

export function describeLegCommand(command: LegCommand): string {
  const describe = COMMANDS[command.type] as ((command: LegCommand) => string) | undefined;
  const text = describe?.(command) ?? `${command.type.replaceAll('_', ' ')}s`;
  return text + withHeaders('headers' in command ? command.headers : undefined);
}

/** Description of one audio item: `welcome "Good morning"`. */
export function describeAudio(item: AudioItem): string {
  const name = item.name === undefined ? '' : `${item.name} `;
  switch (item.type) {
    case 'speech':
      return `${name}${JSON.stringify(item.text)}`;
    case 'ssml':
      return `${name}${item.ssml}`;
    case 'file':
      return item.name ?? item.file;
    case 'remote':
      return item.name ?? item.url;
    case 'silence':
      return `${formatDuration(item.durationMs)} of silence`;
    case 'tone':
      return item.name ?? `a tone of ${formatDuration(item.durationMs)}`;
  }
}

const because = (fault: { message: string } | undefined): string => (fault ? `: ${fault.message}` : '');
