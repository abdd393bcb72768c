/**
 * One participant in one session, from the invitation to the end. It has the client, publishes the tracks of
 * `own-media.ts`, and stores the state from the service in signals, which the screens show.
 *
 * Invariants
 *  - a source that a moderator switches off is off here, too: the track sends no media, whatever the buttons show;
 *  - a microphone is never opened or switched on by others.
 */
import { effect, signal, untracked } from '@preact/signals';
import {
  type ClientMessage,
  hold,
  type Invited,
  look,
  type Participant,
  type ReceivedTrack,
  RoomClient,
  type ServerMessage,
  type Source,
  sendFeedback,
  type Welcome,
} from '../../../../client/room-client.js';
import { addressAtService } from '../../shared/web/service-root.ts';
import { t } from '../../shared/web/words/translate.ts';
import { announcementsOf, SWITCHED_OFF } from './announcements.ts';
import { type Invitation, invitationOf } from './invitation.ts';
import { announce } from './notices.ts';
import {
  camera,
  closeAll,
  microphone,
  screen,
  screenSound,
  shareScreen,
  stopSharing,
  switchOff,
  switchOn,
} from './own-media.ts';
import { OwnMutes } from './own-mutes.ts';
import { forgetPlace, keepPlace, keptPlace, leavePlace } from './place.ts';
import { showReaction } from './reactions.ts';
import { begin, reduce, type SessionState, selfOf } from './room-state.ts';
import * as sounds from './sounds.ts';

export type Phase =
  | { at: 'asking' }
  /** `resumeKey`: the participant was in the session a moment ago. */
  | { at: 'preview'; invited: Invited; resumeKey?: string }
  | { at: 'joining' }
  | { at: 'waiting'; for: 'moderator' | 'admission' }
  | { at: 'in' }
  | { at: 'over'; reason: string };

export const phase = signal<Phase>({ at: 'asking' });
export const session = signal<SessionState | undefined>(undefined);
export const isAway = signal(false);
/** True if the network is gone, or unstable; the link may still recover. */
export const isWeak = signal(false);
export const tracks = signal<readonly ReceivedTrack[]>([]);
/** Names of the participant and the room, from the invitation on. */
export const invitation = signal<Invited | undefined>(undefined);
export const here: Invitation = invitationOf(location.pathname, location.hash);

const URL_OF_LINKS = location.origin.replace(/^http/, 'ws') + addressAtService('/video/v2/connect');
const ownMutes = new OwnMutes();
let client: RoomClient | undefined;

/** Checks the invitation of this page. */
export async function open(): Promise<void> {
  const place = await keptPlace(here);
  if (place && (await isHeld(place.resumeKey))) return showPreview(place.invited, place.resumeKey);
  if (here.token === '') return over('no_token');
  try {
    showPreview(await look(URL_OF_LINKS, here.token, { roomId: here.roomId }));
  } catch (error) {
    over((error as Error).message);
  }
}

/** True if the participant is still in the session, or may join it again. */
const isHeld = (resumeKey: string): Promise<boolean> =>
  hold(URL_OF_LINKS, resumeKey).then(
    () => true,
    () => false,
  );

function showPreview(invited: Invited, resumeKey?: string): void {
  invitation.value = invited;
  phase.value = { at: 'preview', invited, ...(resumeKey === undefined ? {} : { resumeKey }) };
}

export function join(): void {
  const now = phase.peek();
  if (now.at !== 'preview') return;
  const { resumeKey } = now;
  phase.value = { at: 'joining' };
  client = new RoomClient({ url: URL_OF_LINKS });
  listen(client);
  const entered = resumeKey === undefined ? client.join(here.token, { roomId: here.roomId }) : client.resume(resumeKey);
  // `state` has reported it already.
  entered.catch(() => undefined);
}

function listen(joined: RoomClient): void {
  joined.addEventListener('state', ({ detail: state }) => {
    isAway.value = state === 'away';
    if (state === 'away') announce({ text: t('Connection lost. Reconnecting…'), how: 'urgent' });
    if (state === 'over') over(joined.reason ?? 'closed');
  });
  joined.addEventListener('link', ({ detail }) => {
    isWeak.value = detail.isWeak;
    if (detail.isWeak && !isAway.peek()) announce({ text: t('Your connection is unstable.'), how: 'spoken' });
  });
  joined.addEventListener('message', ({ detail }) => onMessage(detail));
  joined.addEventListener('track', ({ detail }) => {
    sounds.play(detail);
    tracks.value = joined.tracks;
  });
  joined.addEventListener('trackended', ({ detail }) => {
    sounds.stop(detail);
    tracks.value = joined.tracks;
  });
}

function onMessage(message: ServerMessage): void {
  if (message.type === 'waiting') {
    phase.value = { at: 'waiting', for: message.for };
    return;
  }
  if (message.type === 'welcome') {
    welcomed(message);
    return;
  }
  const before = session.peek();
  if (!before) return;
  for (const announcement of announcementsOf(before, message)) announce(announcement);
  session.value = reduce(before, message);
  if (message.type === 'reaction') showReaction(message.participant, message.emoji);
  if (message.type === 'changed' && message.participant.id === before.selfId) changedByService(message.participant);
  if (message.type === 'floor' && !message.given) silence();
  if (message.type === 'error' && message.about === 'mute') ownMutes.forget();
  if (message.type === 'error' && message.about === 'captions') wantsCaptions.value = false;
}

function welcomed(welcome: Welcome): void {
  const isBack = session.peek() !== undefined;
  session.value = begin(welcome, invitation.peek()!.name, session.peek());
  ownMutes.forget();
  keepPlace(here, invitation.peek()!, welcome.resume_key);
  phase.value = { at: 'in' };
  if (isBack) announce({ text: t('You are connected again.'), how: 'shown' });
  if (wantsCaptions.peek()) say({ type: 'captions', on: true });
  if (!welcome.permissions.publish) silence();
  askMuted('audio', isSilent());
}

/** Stops all sources of this participant. */
function silence(): void {
  switchOff('audio');
  switchOff('video');
  stopSharing();
}

const MUTED = {
  audio: t('A moderator muted your microphone.'),
  video: t('A moderator muted your camera.'),
  screen: t('A moderator muted your screen.'),
} as const;

/** Applies the state that the service reports for this participant: a moderator may have muted them. */
function changedByService({ muted, hard_muted: hard }: Participant): void {
  for (const source of ['audio', 'video', 'screen'] as const) {
    const done = ownMutes.report(source, muted.includes(source));
    if (done === 'muted') {
      if (source === 'screen') stopSharing();
      else switchOff(source);
      // Hard mutes have already been announced.
      if (!hard.includes(source)) announce({ text: MUTED[source], how: 'urgent' });
    }
    if (done === 'unmuted' && source === 'audio' && isSilent()) {
      announce({ text: t('A moderator asks you to switch on your microphone.'), how: 'shown' });
      askMuted('audio', true);
    }
  }
}

/** True if this participant sends no audio: the microphone is off, and no tab with sound is shared. */
const isSilent = (): boolean => !microphone.peek().isOn && screenSound.peek() === undefined;

let hadSound = false;
/** The sound of a shared tab is heard while the microphone is off. */
effect(() => {
  const hasSound = screenSound.value !== undefined;
  untracked(() => {
    if (hasSound !== hadSound && phase.value.at === 'in' && adoptionObstacle('audio') === undefined) {
      askMuted('audio', isSilent());
    }
  });
  hadSound = hasSound;
});

function askMuted(source: Source, muted: boolean): void {
  if (client?.state === 'in' && ownMutes.ask(source, muted)) client.mute(source, muted);
}

/** Returns why a source cannot be switched on; undefined if it can. */
export function adoptionObstacle(source: Source): string | undefined {
  const now = session.value;
  if (!now) return undefined;
  if (!now.permissions.publish) {
    return now.role === 'participant' ? t('You need the floor: raise your hand') : t('Viewers only watch and listen');
  }
  return selfOf(now)?.hard_muted.includes(source) ? SWITCHED_OFF[source] : undefined;
}

export async function toggle(kind: 'audio' | 'video'): Promise<void> {
  const device = kind === 'audio' ? microphone : camera;
  if (device.peek().isOn) {
    switchOff(kind);
    if (kind === 'audio') askMuted('audio', isSilent());
    return;
  }
  const reason = adoptionObstacle(kind);
  if (reason !== undefined) return announce({ text: reason, how: 'shown' });
  await switchOn(kind);
  if (device.peek().isOn) askMuted(kind, false);
}

export async function toggleScreen(): Promise<void> {
  if (screen.peek()) return stopSharing();
  const reason = adoptionObstacle('screen');
  if (reason !== undefined) return announce({ text: reason, how: 'shown' });
  const isShared = await shareScreen().catch(() => {
    announce({ text: t('The screen cannot be shared.'), how: 'shown' });
    return false;
  });
  if (isShared) askMuted('screen', false);
}

export function toggleHand(): void {
  const self = session.peek() && selfOf(session.peek()!);
  say({ type: 'hand', raised: !self?.hand });
}

/** True if this participant receives captions. */
export const wantsCaptions = signal(false);

export function toggleCaptions(): void {
  wantsCaptions.value = !wantsCaptions.peek();
  say({ type: 'captions', on: wantsCaptions.peek() });
}

export const say = (message: ClientMessage): void => client?.send(message);

export const setLayer = (id: string, layer: 'HD' | 'SD' | 'LD' | 'off'): void => client?.setLayer(id, layer);

/** Connections for sending and receiving, for statistics. */
export const connections = (): RTCPeerConnection[] =>
  Object.values(client?.connections ?? {}).filter((one) => one !== undefined);

/** Reasons of the end after which participants are asked for feedback, in rooms that do so. */
const ASKS_FEEDBACK: readonly string[] = ['left', 'ended'];

export const isFeedbackAsked = (reason: string): boolean =>
  ASKS_FEEDBACK.includes(reason) && session.peek()?.room.asksFeedback === true;

/** Rejects if the service cannot be reached, or does not accept it any more. */
export async function giveFeedback(rating: number, text: string): Promise<void> {
  await sendFeedback(URL_OF_LINKS, client?.resumeKey ?? '', { rating, text });
}

export const leave = (): void => client?.leave();

/** Reasons of the end after which the participant may come back. */
const MAY_RETURN: readonly string[] = ['left', 'lost', 'closed'];

function over(reason: string): void {
  closeAll();
  if (MAY_RETURN.includes(reason)) leavePlace(here);
  else forgetPlace(here);
  isAway.value = false;
  isWeak.value = false;
  phase.value = { at: 'over', reason };
}

/** Published tracks, to detect changes. */
const sent: Partial<Record<Source, MediaStreamTrack | null>> = {};
effect(() => {
  const audio = screenSound.value?.track ?? microphone.value.track;
  const now = { audio, video: camera.value.track, screen: screen.value };
  if (phase.value.at !== 'in') return;
  const changes: Partial<Record<Source, MediaStreamTrack | null>> = {};
  for (const source of ['audio', 'video', 'screen'] as const) {
    const track = now[source] ?? null;
    if (track !== (sent[source] ?? null)) changes[source] = track;
  }
  Object.assign(sent, changes);
  if (Object.keys(changes).length > 0) void client?.publish(changes);
});
