/**
 * Phones in sessions. Each phone is a participant whose link is the call. Actions of moderators (admit, deny, mute,
 * drop) apply to the call; keys of the phone send the same commands as browsers.
 */
import type { ServerMessage, Participant as ShownParticipant } from '../../base/core/room-messages.ts';
import type { LaterMessage } from './client-link.ts';
import type { Link } from './participant.ts';
import type { RoomSessions } from './sessions.ts';

/** Events of a phone, in its call. */
export interface PhoneVisit {
  waits(reason: 'moderator' | 'admission'): void;
  /** `people`: number of participants, including this one. Undefined if only phones are counted. */
  isIn(people?: number, mayTalk?: boolean): void;
  /** The number of participants changed. It includes this one. */
  counts(people: number): void;
  /** By `role`: it may only listen. */
  isMuted(muted: boolean, by: MuteReason): void;
  hasHand(raised: boolean): void;
  /** It asked to unmute and may not. */
  isRefused(by: MuteReason): void;
  /** Last event of the phone. */
  isOut(why: 'denied' | 'full' | 'ended' | 'removed'): void;
}

type MuteReason = 'role' | 'self' | 'moderator';

/** Actions of a phone in its room. */
export interface PhonePresence {
  leave(): void;
  mute(muted: boolean): void;
  toggleHand(): void;
}

export interface RoomPhone {
  projectId: string;
  roomId: string;
  /** Name that the other participants see. */
  name: string;
  callId: string;
  /** Leg that carries its audio. */
  legId: string;
}

/** Brings an authorised call into the session of its room. */
export function enterByPhone(sessions: RoomSessions, phone: RoomPhone, visit: PhoneVisit): PhonePresence {
  const { projectId, roomId, name, callId, legId } = phone;
  let isOver = false;
  /** Each of these reasons mutes the call. */
  const mutes = { byRole: false, inRoom: false };
  let isMuted = false;
  let isMutingItself = false;
  let hand = false;
  let id: string | undefined;
  /** Other participants, without the audience. */
  let others = new Set<string>();
  const out = (why: Parameters<PhoneVisit['isOut']>[0]): void => {
    if (!isOver) visit.isOut(why);
    isOver = true;
  };
  const mute = (change: Partial<typeof mutes>): void => {
    Object.assign(mutes, change);
    const muted = mutes.byRole || mutes.inRoom;
    const by = mutes.byRole ? 'role' : isMutingItself ? 'self' : 'moderator';
    if (muted !== isMuted) visit.isMuted(muted, by);
    isMuted = muted;
  };
  const changed = (self: ShownParticipant): void => {
    mute({ inRoom: self.muted.includes('audio') });
    if (self.hand !== hand) visit.hasHand(self.hand);
    hand = self.hand;
  };
  const receive = (message: ServerMessage): void => {
    switch (message.type) {
      case 'waiting':
        visit.waits(message.for);
        break;
      case 'welcome':
        id = message.id;
        others = new Set(message.participants.filter(({ role }) => role !== 'audience').map((one) => one.id));
        visit.isIn(others.size + 1, message.permissions.publish);
        mute({ byRole: !message.permissions.publish });
        break;
      case 'joined':
        if (message.participant.role === 'audience') break;
        others.add(message.participant.id);
        visit.counts(others.size + 1);
        break;
      case 'left':
        if (others.delete(message.id)) visit.counts(others.size + 1);
        break;
      case 'floor':
        mute({ byRole: !message.permissions.publish });
        break;
      case 'changed':
        if (message.participant.id === id) changed(message.participant);
        break;
      case 'denied':
        out('denied');
        break;
      case 'dropped':
        out('removed');
        break;
      case 'ended':
        out('ended');
        break;
    }
  };
  const link: Link = {
    agent: 'telephone',
    legId,
    send: (message) => (isOver ? undefined : receive(message)),
    close: () => undefined,
  };
  const entered = sessions.enter(projectId, { roomId, name, role: 'participant', userRef: callId }, link, true);
  if ('code' in entered) out(entered.code === 'room_full' ? 'full' : 'ended');
  const ask = (command: LaterMessage) =>
    isOver || 'code' in entered ? undefined : sessions.ask(entered.participant, command);
  return {
    leave() {
      isOver = true;
      if (!('code' in entered)) sessions.leave(entered.participant);
    },
    mute(muted) {
      if (!muted && mutes.byRole) return visit.isRefused('role');
      isMutingItself = true;
      const problem = ask({ type: 'mute', source: 'audio', muted });
      isMutingItself = false;
      if (problem === 'not_allowed') visit.isRefused('moderator');
    },
    toggleHand: () => void ask({ type: 'hand', raised: !hand }),
  };
}
