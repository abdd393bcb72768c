/**
 * Which command of a leg an event answers. Both have one name, with the kind in front: a play and a recording may share
 * an id. Neighbour: `leg.ts` has the words; engines and their contract count answers by these names.
 */
import type { LegCommand, LegEvent } from './leg.ts';

/** Of a command that is answered. */
export function requestKeyOf(command: LegCommand): string | undefined {
  switch (command.type) {
    case 'play':
      return `play ${command.playId}`;
    case 'record':
      return `record ${command.recordId}`;
    case 'send_digits':
      return `digits ${command.sendId}`;
    case 'stream':
      return `stream ${command.streamId}`;
    case 'listen':
      return `listen ${command.listenId}`;
    case 'detect_machine':
      return `detect ${command.detectId}`;
    case 'refer':
      return `refer ${command.referId}`;
    default:
      return undefined;
  }
}

/** Of what an event tells about a command; `isFinal`: nothing more is told of it. */
export function answeredRequestOf(event: LegEvent): { name: string; isFinal: boolean } | undefined {
  switch (event.type) {
    case 'play_ended':
      return { name: `play ${event.playId}`, isFinal: true };
    case 'record_ended':
      return { name: `record ${event.recordId}`, isFinal: true };
    case 'digits_sent':
      return { name: `digits ${event.sendId}`, isFinal: true };
    case 'stream_started':
    case 'stream_ended':
      return { name: `stream ${event.streamId}`, isFinal: event.type === 'stream_ended' };
    case 'speech_started':
    case 'utterance':
    case 'listen_ended':
      return { name: `listen ${event.listenId}`, isFinal: event.type === 'listen_ended' };
    case 'machine_detected':
      return { name: `detect ${event.detectId}`, isFinal: true };
    case 'refer_ended':
      return { name: `refer ${event.referId}`, isFinal: true };
    default:
      return undefined;
  }
}
