/** Published source of a participant, as identified in Janus. */
import type { TrackSource } from '../sfu.ts';
import type { JanusLink, JanusNotice } from './janus-link.ts';

export interface JanusSource {
  /** Id of the participant that publishes it. */
  owner: string;
  name: TrackSource;
  /** Id of the publisher's connection in the room of Janus. */
  feed: string;
  /** M-line in the offer of the browser. */
  mid: string;
}

/** Identifiers and secrets of a room in Janus. */
export interface JanusRoomKey {
  link: JanusLink;
  room: string;
  pin: string;
  secret: string;
}

export type ReceiveNotice = (notice: JanusNotice) => void;

export const keyOf = ({ feed, mid }: Pick<JanusSource, 'feed' | 'mid'>): string => `${feed} ${mid}`;
