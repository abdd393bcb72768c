/** Finds the leg that an event of Asterisk concerns. */
import { isObject, type Json, type JsonObject } from '../../../base/core/json.ts';

/** Empty if there is none. */
export function legOf({ type, channel, peer, playback, recording }: JsonObject): string {
  const sound = isObject(playback) ? playback : recording;
  if (isObject(sound)) return listenedTo(targetOf(sound['target_uri']));
  const subject = type === 'Dial' ? peer : channel;
  const id = isObject(subject) ? subject['id'] : undefined;
  return typeof id === 'string' ? listenedTo(id) : '';
}

/** Returns the leg that a snoop channel records: `LEG.RECORDING.TRACK`; any other channel is a leg. */
export const listenedTo = (channelId: string): string => channelId.replace(/\.[^.]+\.(?:in|out)$/, '');

/** Returns the channel of a playback or a recording. */
export const targetOf = (uri: Json | undefined): string =>
  typeof uri === 'string' ? uri.replace(/^channel:/, '') : '';
