/** Something that a participant publishes, as Janus knows it. */
import type { Source } from '../sfu.ts';
import type { JanusLink, JanusNotice } from './janus-link.ts';

export interface JanusSource {
  /** Id of its participant. */
  owner: string;
  name: Source;
  /** Id of the publisher's connection in the room of Janus. */
  feed: string;
  /** Its line in what the browser offered. */
  mid: string;
}

/** A room of Janus, and how to get into it. */
export interface JanusRoomKey {
  link: JanusLink;
  room: string;
  pin: string;
  secret: string;
}

export type ReceiveNotice = (notice: JanusNotice) => void;

export const keyOf = ({ feed, mid }: Pick<JanusSource, 'feed' | 'mid'>): string => `${feed} ${mid}`;
