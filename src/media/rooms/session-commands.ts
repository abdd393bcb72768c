/** Commands of participants: checks permissions and executes them. */
import { type ClientMessage, type FirstMessage, isModeratorCommand, type ModeratorCommand } from './client-messages.ts';
import type { InvitationProblem } from './invitations.ts';
import { type Participant, permissionsOf } from './participant.ts';
import type { PollProblem } from './polls.ts';
import type { RoomSession } from './session.ts';

export type CommandProblem = 'unknown_participant' | 'not_in' | InvitationProblem | PollProblem;

type Command = Exclude<ClientMessage, { type: FirstMessage | 'ping' }>;
type OwnCommand = Exclude<Command, ModeratorCommand>;
type Handlers<One extends Command, Who> = {
  [Type in One['type']]: (session: RoomSession, who: Who, message: Extract<One, { type: Type }>) => unknown;
};
type Handler<Who> = (session: RoomSession, who: Who, command: Command) => unknown;

/** Commands allowed in the lobby. */
const FOR_ALL: readonly Command['type'][] = ['leave'];

/** Returns undefined if the command was executed. */
export function runCommand(session: RoomSession, who: Participant, command: Command): CommandProblem | undefined {
  if (who.presence !== 'in' && !FOR_ALL.includes(command.type)) return 'not_in';
  if (isModeratorCommand(command)) return who.role === 'moderator' ? moderate(session, command, who) : 'not_allowed';
  return problemOf((OWN[command.type] as Handler<Participant>)(session, who, command));
}

/** Without `by`, the command is from an administrator. Returns undefined if it was executed. */
export function moderate(
  session: RoomSession,
  command: ModeratorCommand,
  by?: Participant,
): CommandProblem | undefined {
  // After the end of the session nothing is recorded.
  if (command.type === 'end') session.recordModeration({ command, by });
  // Read before the command, which may remove the participant.
  const name = 'participant' in command ? session.find(command.participant)?.name : undefined;
  const problem = problemOf((OF_MODERATORS[command.type] as Handler<Participant | undefined>)(session, by, command));
  if (problem === undefined && command.type !== 'end') session.recordModeration({ command, by, name });
  return problem;
}

/** Handlers return a problem or nothing. */
const problemOf = (returned: unknown): CommandProblem | undefined => returned as CommandProblem | undefined;

const OWN: Handlers<OwnCommand, Participant> = {
  leave: (session, who) => session.leave(who, 'left'),
  'pub.offer': (session, who, message) => (mayPublish(session, who) ? negotiate(session, who, message) : 'not_allowed'),
  'sub.answer': negotiate,
  'sub.restart': negotiate,
  layer: (session, who, { participant, layer }) =>
    onOther(session, participant, ({ id }) =>
      session.negotiate(who, { type: 'set_layer', participant: who.id, publisher: id, layer }),
    ),
  mute(session, who, { source, muted }) {
    if (!muted && who.hardMuted.has(source)) return 'not_allowed';
    session.mute(who, source, { muted });
    return undefined;
  },
  hand: (session, who, { raised }) => (who.role === 'viewer' ? 'not_allowed' : session.setHand(who, raised)),
  chat(session, who, { text, to }) {
    if (who.role === 'viewer' || who.role === 'audience') return 'not_allowed';
    if (to === undefined) return session.chat(who, text);
    return onOther(session, to, (one) => session.chat(who, text, one));
  },
  reaction(session, who, { emoji }) {
    if (who.role === 'viewer' || who.role === 'audience') return 'not_allowed';
    session.react(who, emoji);
    return undefined;
  },
  captions: (session, who, { on }) => session.captions.set(who, on),
  poll_start: (session, who, message) => session.polls.start(who, message),
  poll_close: (session, who, { poll }) => session.polls.close(who, poll),
  vote: (session, who, { poll, answers }) => session.polls.vote(who, poll, answers),
  invite: (session, who, { role, name }) => session.invitations.invite(who, role, name),
  revoke_invitation: (session, who, { invitation }) => session.invitations.revoke(who, invitation),
  client_stats: (_session, who, { type: _, ...experience }) => who.quality.addExperience(experience),
};

const OF_MODERATORS: Handlers<ModeratorCommand, Participant | undefined> = {
  admit: (session, _by, { participant }) => onWaiting(session, participant, (one) => session.admit(one)),
  deny: (session, _by, { participant }) => onWaiting(session, participant, (one) => session.leave(one, 'denied')),
  mute_user: (session, _by, { participant, source, muted, hard = false }) =>
    onOther(session, participant, (one) => session.mute(one, source, { muted, hard })),
  mute_all(session, _by, { source, muted, hard = false }) {
    for (const one of session.inside) if (one.role !== 'moderator') session.mute(one, source, { muted, hard });
  },
  floor: (session, _by, { participant, given }) =>
    onOther(session, participant, (one) => {
      if (one.role !== 'participant' || session.room.settings.mode !== 'lecture') return 'not_allowed';
      return session.setFloor(one, given);
    }),
  spotlight: (session, _by, { participant, on }) =>
    onOther(session, participant, (one) => session.setSpotlight(one, on)),
  drop: (session, _by, { participant }) => onOther(session, participant, (one) => session.leave(one, 'dropped')),
  record: (session, by, { on }) => (on && !session.canRecord ? 'not_available' : session.recording.set(on, by)),
  end: (session) => session.end(),
};

const mayPublish = (session: RoomSession, who: Participant): boolean =>
  permissionsOf(who, session.room.settings.mode).publish;

function negotiate(
  session: RoomSession,
  who: Participant,
  message: Extract<Command, { type: 'pub.offer' | 'sub.answer' | 'sub.restart' }>,
): undefined {
  session.negotiate(who, { type: 'negotiate', participant: who.id, message });
}

function onOther(session: RoomSession, id: string, run: (one: Participant) => unknown): CommandProblem | undefined {
  const one = session.inside.find((each) => each.id === id);
  return one ? problemOf(run(one)) : 'unknown_participant';
}

function onWaiting(session: RoomSession, id: string, run: (one: Participant) => void): CommandProblem | undefined {
  const one = session.lobby.find((each) => each.id === id);
  if (!one) return 'unknown_participant';
  run(one);
  return undefined;
}
