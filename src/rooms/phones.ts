/**
 * Telephones in sessions: they are people like others, whose link is the call. What moderators do with them is done to the
 * call: let in, turned away, muted, sent out.
 */
import type { ServerMessage } from '../../client/messages.d.ts';
import type { Link } from './participant.ts';
import type { RoomSessions } from './sessions.ts';

/** What becomes of a telephone. */
export interface PhoneVisit {
  waits(): void;
  isIn(): void;
  isMuted(muted: boolean): void;
  /** It is the last that is said. */
  isOut(why: 'denied' | 'full' | 'ended' | 'removed'): void;
}

export interface Phone {
  projectId: string;
  roomId: string;
  /** What the others see. */
  name: string;
  callId: string;
  /** Whose sound it is. */
  legId: string;
}

/** Brings a call that may come into the session of its room. */
export function enterByPhone(sessions: RoomSessions, phone: Phone, visit: PhoneVisit): { leave(): void } {
  const { projectId, roomId, name, callId, legId } = phone;
  let isOver = false;
  /** Of those, any mutes the call. */
  const mutes = { byRole: false, byModerator: false };
  let isMuted = false;
  let id: string | undefined;
  const out = (why: Parameters<PhoneVisit['isOut']>[0]): void => {
    if (!isOver) visit.isOut(why);
    isOver = true;
  };
  const mute = (change: Partial<typeof mutes>): void => {
    Object.assign(mutes, change);
    const muted = mutes.byRole || mutes.byModerator;
    if (muted !== isMuted) visit.isMuted(muted);
    isMuted = muted;
  };
  const receive = (message: ServerMessage): void => {
    switch (message.type) {
      case 'waiting':
        visit.waits();
        break;
      case 'welcome':
        id = message.id;
        visit.isIn();
        mute({ byRole: !message.permissions.publish });
        break;
      case 'floor':
        mute({ byRole: !message.permissions.publish });
        break;
      case 'changed':
        if (message.participant.id === id) mute({ byModerator: message.participant.muted.includes('audio') });
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
  return {
    leave() {
      isOver = true;
      if (!('code' in entered)) sessions.leave(entered.participant);
    },
  };
}
