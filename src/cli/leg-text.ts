/** What is asked of a line, and what it tells, in words for `story.ts`. */
import { formatDuration } from '../core/duration.ts';
import type { AudioItem, LegCommand, LegEvent } from '../core/leg.ts';

/** SIP: a final status of success (RFC 3261 §7.2). */
const isDone = (sipStatus: number): boolean => sipStatus >= 200 && sipStatus < 300;

export function describeLegEvent(event: LegEvent, details: boolean): string | undefined {
  switch (event.type) {
    case 'ringing':
      return 'far end rings';
    case 'answered':
      return 'answered';
    case 'early_media':
      return 'is heard before the answer';
    case 'digit':
      return `presses ${event.digit}`;
    case 'play_ended':
      if (event.reason === 'failed') return `prompt failed${because(event.fault)}`;
      return details ? `prompt ${event.reason} after ${formatDuration(event.playedMs)}` : undefined;
    case 'record_ended': {
      const spoken = `${formatDuration(event.durationMs)}, of which ${formatDuration(event.speechMs)} speech`;
      return `recorded ${spoken} (${event.reason.replaceAll('_', ' ')})`;
    }
    case 'digits_sent':
      return details ? 'digits sent' : undefined;
    case 'stream_started':
      return details ? 'stream is connected' : undefined;
    case 'stream_ended':
      return `stream ended (${event.reason})${because(event.fault)}`;
    case 'speech_started':
      return details ? 'begins to speak' : undefined;
    case 'utterance':
      return details ? `was understood: ${JSON.stringify(event.text)}` : undefined;
    case 'listen_ended':
      return describeListening(event);
    case 'machine_detected':
      return `${event.result} (after ${formatDuration(event.afterMs)})`;
    case 'far_hold':
      return event.held ? 'puts us on hold' : 'takes us back';
    case 'referred':
      return `asks to be connected with ${event.to}`;
    case 'refer_ended':
      return isDone(event.sipStatus) ? 'reached its new party' : `reached nobody (${event.sipStatus})`;
    case 'ended':
      return { far: 'the other side hung up', near: 'hung up', network: 'the network ended the call' }[event.by];
  }
}

function describeListening({ reason, text, confidence, fault }: Extract<LegEvent, { type: 'listen_ended' }>): string {
  const sure = confidence === undefined ? '' : ` (${Math.round(confidence * 100)} %)`;
  switch (reason) {
    case 'recognized':
      return `says ${JSON.stringify(text ?? '')}${sure}`;
    case 'no_match':
      return text === undefined ? 'was not understood' : `was not understood, perhaps ${JSON.stringify(text)}${sure}`;
    case 'no_input':
      return 'says nothing';
    case 'stopped':
      return 'is listened to no more';
    case 'failed':
      return `could not be listened to${because(fault)}`;
  }
}

export function describeLegCommand(command: LegCommand): string {
  switch (command.type) {
    case 'play':
      return `plays ${command.audio.map(describeAudio).join(', ')}${command.repeat ? ', again and again' : ''}`;
    case 'stop_play':
      return 'stops playing';
    case 'record': {
      const sides = command.dual ? ' both sides' : '';
      return `records${sides} for ${formatDuration(command.maxLengthMs)} at most`;
    }
    case 'pause_record':
      return command.paused ? 'pauses the recording' : 'goes on recording';
    case 'stop_record':
      return 'stops recording';
    case 'send_digits':
      return `sends ${command.digits}`;
    case 'hold':
      return 'puts on hold';
    case 'resume':
      return 'takes back from hold';
    case 'join':
      return `joins ${command.mixId}${command.muted ? ', muted' : ''}`;
    case 'leave':
      return 'leaves the conversation';
    case 'mute':
      return command.muted ? 'mutes' : 'unmutes';
    case 'stream':
      return `streams to ${command.url}`;
    case 'stop_stream':
      return 'stops streaming';
    case 'listen':
      return command.continuous ? 'transcribes' : 'listens';
    case 'stop_listen':
      return 'stops listening';
    case 'detect_machine':
      return 'listens for a machine';
    case 'stop_detect':
      return 'stops listening for a machine';
    case 'refer':
      return `asks to call ${command.to}`;
    case 'refer_progress':
      return `tells of the transfer: ${command.sipStatus}`;
    case 'reject':
      return `rejects with ${command.sipStatus}`;
    case 'hangup':
      return `hangs up (${command.cause})`;
    case 'progress':
      return 'opens the line before the answer';
    default:
      return `${command.type.replaceAll('_', ' ')}s`;
  }
}

/** What one piece of audio is to a listener: `welcome "Good morning"`. */
export function describeAudio(item: AudioItem): string {
  const name = item.name === undefined ? '' : `${item.name} `;
  switch (item.type) {
    case 'speech':
      return `${name}${JSON.stringify(item.text)}`;
    case 'ssml':
      return `${name}${item.ssml}`;
    case 'file':
      return item.name ?? item.file;
    case 'silence':
      return `${formatDuration(item.durationMs)} of silence`;
    case 'tone':
      return item.name ?? `a tone of ${formatDuration(item.durationMs)}`;
  }
}

const because = (fault: { message: string } | undefined): string => (fault ? `: ${fault.message}` : '');
