/** Stage 4 of the composition: video rooms, built from the store, the configured rooms and an engine. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defined } from '../base/core/json.ts';
import type { TokenCheck } from '../base/core/single-use-tokens.ts';
import { ARCHIVES_FOLDER, type Archive } from '../media/rooms/archive/archive.ts';
import { archiveBody } from '../media/rooms/archive/archive-body.ts';
import { type ArchiveEvent, Archives } from '../media/rooms/archive/archives.ts';
import { Transcoder } from '../media/rooms/archive/transcoder.ts';
import { LIVE_STREAMS_FOLDER, LiveStreams } from '../media/rooms/live-stream/live-streams.ts';
import { enterByPhone } from '../media/rooms/phones.ts';
import { recoverSessions } from '../media/rooms/recover-sessions.ts';
import type { VideoRoom } from '../media/rooms/room.ts';
import { figuresOf } from '../media/rooms/room-figures.ts';
import { journalEntryOf } from '../media/rooms/room-journal.ts';
import { isBeyond } from '../media/rooms/room-rules.ts';
import { createRoomTokens, type RoomTokens, type TokenHolder } from '../media/rooms/room-tokens.ts';
import { createRooms } from '../media/rooms/rooms.ts';
import type { ReportedEvent } from '../media/rooms/session-ports.ts';
import { RoomSessions } from '../media/rooms/sessions.ts';
import type { EngineEvent, RoomEngine, RoomEngineHost } from '../media/rooms/sfu.ts';
import { readRoom } from '../service/api/video/room-bodies.ts';
import type { Room, RoomDirectory, RoomDoor } from '../service/calls/conferences/room-phones.ts';
import type { Metrics } from '../service/observers/metrics.ts';
import type { RoomMetrics, TokenResult } from '../service/observers/room-metrics.ts';
import { type RoomEvent, roomDelivery } from '../service/observers/webhooks/room-events.ts';
import type { Base } from './base.ts';
import type { Provisioning, roomsIn } from './provisioning.ts';
import { createRoomEngine } from './room-engine.ts';
import { createRoomRecords } from './room-records.ts';
import type { Storage } from './storage.ts';
import type { Telephony } from './telephony.ts';

export type Video = ReturnType<typeof createVideo>;

interface VideoParts {
  base: Base;
  storage: Pick<Storage, 'store'>;
  provisioning: Pick<Provisioning, 'projects' | 'rooms'>;
  /** Default: the engine of the configuration. */
  engine?: RoomEngine | undefined;
  sound?: Telephony['phoneSound'];
  recognizer?: Telephony['recognizer'];
}

export function createVideo({ base, storage, provisioning, engine = createRoomEngine(base), ...more }: VideoParts) {
  const { store } = storage;
  const { projects, rooms: configured } = provisioning;
  const { clock, ids, log, random, directory } = base;
  const report = (event: RoomEvent): void => {
    const { projectId, confNum } = event;
    const url = projects.find(projectId)?.videoWebhook;
    if (url === undefined) return;
    const delivery = roomDelivery(event, { id: ids.next('event'), url, nowMs: clock.now() });
    store.outbox.add([delivery]).catch((error: unknown) => log.error('room.event_lost', { confNum, error }));
  };
  const reportArchive = (archive: Archive, event: ArchiveEvent): void => {
    const { projectId, roomId, confNum } = archive;
    report({ projectId, roomId, confNum, ...archiveEventOf(archive, event, base.state.publicUrl) });
  };
  const recordings = join(directory, ARCHIVES_FOLDER);
  const archives: Archives = new Archives({
    ...{ store: store.archives, clock, ids, log, directory: recordings },
    report: reportArchive,
    work: () => transcoder.work,
    closed: (archive) => transcoder.add(archive),
    removed: (confNum) => transcoder.cancel(confNum),
  });
  const transcoder = new Transcoder({
    ...{ store: store.archives, clock, log, folderOf: (confNum) => archives.folderOf(confNum) },
    slots: Math.max(1, availableParallelism() - 1),
    transcoded: (archive) => reportArchive(archive, { type: 'transcoded' }),
  });
  base.state.closers.push(
    () => transcoder.close(),
    () => archives.close(),
  );
  const streams: LiveStreams = new LiveStreams({
    ...{ clock, ids, log, secretsOf: projects.webhookSecretsOf, directory: join(directory, LIVE_STREAMS_FOLDER) },
    command: (confNum, command) => sessions.command(confNum, command),
  });
  base.state.closers.push(() => streams.close());
  let metrics: RoomMetrics | undefined;
  const records = createRoomRecords(base, store);
  const sessions: RoomSessions = new RoomSessions({
    mayOpen: () => base.state.drain === 'open',
    ...{ clock, ids, store: records.rooms, engine, iceServers: base.config.video.iceServers },
    details: records.details,
    ...more,
    recordings,
    tokens: countedTokens(
      createRoomTokens({ used: store.usedTokens, clock, ids, secretsOf: projects.webhookSecretsOf }),
      () => metrics,
    ),
    onEvent(session, event) {
      log[event.type === 'chat' || event.type === 'caption' ? 'debug' : 'info'](`room.${event.type}`, {
        confNum: session.confNum,
        roomId: session.room.roomId,
      });
      archives.record(session, event);
      streams.record(session, event);
      const { confNum, room } = session;
      const reported = webhookEventOf(room, event);
      const about = { projectId: room.projectId, roomId: room.roomId, confNum };
      if (reported) report({ ...about, ...reported });
      if (event.type === 'active' && room.settings.auto_recording && !session.canRecord) {
        const description = `the engine ${engine.name} records nothing`;
        log.warn('recording.room_failed', { confNum, why: description });
        report({ ...about, type: 'recording', more: { state: 'failed', description } });
      }
      const entry = journalEntryOf(session, event, clock.now());
      if (entry) records.journal.add(entry);
      if (event.type === 'connection') metrics?.countConnection(event.direction, event.state);
      if (event.type === 'blocked') metrics?.countBlocked(event.direction, event.source, event.reason);
      if (event.type === 'left') metrics?.countReport(String(event.participant.quality.report['call_quality']));
    },
    onTimelineEvent: (session, event) => archives.record(session, event),
    resumed: (session, participant) => streams.resumed(session, participant),
    audienceProblem: () => audienceProblem(engine, transcoder),
  });
  const reportExcess = (confNum: string, event: Extract<EngineEvent, { type: 'excess' }>): void => {
    const { participant, isFirst, type: _, ...excess } = event;
    if ('source' in excess) metrics?.countDropped(excess.source, excess.dropped);
    else metrics?.countClosed(excess.closed);
    if (isFirst) log.warn('rooms.excess', { confNum, participant, ...excess });
  };
  const host: RoomEngineHost = {
    event(confNum, event) {
      archives.engineEvent(confNum, event);
      streams.engineEvent(confNum, event);
      sessions.event(confNum, event);
      if (event.type === 'excess') reportExcess(confNum, event);
    },
    restarted(lost, cutOff = lost) {
      metrics?.countEngineRestart();
      archives.engineRestarted(cutOff);
      sessions.engineRestarted(lost);
      streams.engineRestarted(cutOff);
    },
  };
  if (!base.isQuarantined) {
    void engine.start(host);
    base.state.closers.push(() => engine.stop());
  }
  const rooms = createRooms({
    ...{ clock, ids, random, store: store.rooms, isActive: sessions.isActive },
    written({ roomId, settings }) {
      const { people } = engine.capabilities;
      if (people === undefined || !isBeyond(settings, people)) return;
      const { participants, max_active_talkers: talkers } = settings;
      log.warn('room.beyond_engine', { roomId, participants, talkers, engine: engine.name, madeFor: people });
    },
    removed: (projectId, roomId) => sessions.end(projectId, roomId, 'room_over'),
    maxQuality: base.config.video.maxQuality,
  });
  const configure = (named: ReturnType<typeof roomsIn>): void =>
    rooms.configure(
      named.map(({ projectId, roomId, name, pin }) => {
        const order = readRoom({ name, owner_ref: 'configuration', sip: { enabled: pin !== undefined } });
        return { ...order, projectId, roomId, ...(pin === undefined ? {} : { pin }) };
      }),
    );
  configure(configured());
  return {
    /** Creates the rooms of a configuration. */
    configure,
    rooms,
    sessions,
    engine,
    archives,
    streams,
    transcoder,
    callDetails: store.callDetails,
    roomJournal: store.roomJournal,
    /** Starts to count events in the metrics. */
    countIn(watch: Metrics['watchRooms']): void {
      metrics = watch(() => figuresOf(sessions.all()));
    },
    /** Settles the sessions that an earlier process left behind in the records. */
    recover(): void {
      const over = ({ projectId, roomId }: VideoRoom, confNum: string) =>
        report({ projectId, roomId, confNum, type: 'room-drop' });
      const parts = { ids, rooms: store.rooms, journal: store.roomJournal, details: store.callDetails, over };
      const count = recoverSessions(parts);
      if (count > 0) log.warn('rooms.recovered', { count });
    },
    forCalls: roomsForCalls(rooms),
    door: doorOf(sessions),
  };
}

/** Reason why a live stream is not possible. Undefined if it is. */
function audienceProblem({ name, capabilities }: RoomEngine, transcoder: Transcoder): string | undefined {
  if (capabilities.liveStream === 'none') return `the engine ${name} makes no live stream`;
  const isMissing = capabilities.liveStream === 'by ffmpeg' && !transcoder.isAvailable;
  return isMissing ? 'ffmpeg is not installed' : undefined;
}

const countedTokens = (tokens: RoomTokens, metrics: () => RoomMetrics | undefined): RoomTokens => ({
  ...tokens,
  issue(...order) {
    const token = tokens.issue(...order);
    metrics()?.countToken('issued');
    return token;
  },
  redeem(token, done, isFor) {
    const counted = (check: TokenCheck<TokenHolder>): void => {
      metrics()?.countToken(refusalOf(check) ?? 'used');
      done(check);
    };
    tokens.redeem(token, counted, isFor);
  },
  look(token, done, isFor) {
    const counted = (check: TokenCheck<TokenHolder>): void => {
      const refusal = refusalOf(check);
      if (refusal) metrics()?.countToken(refusal);
      done(check);
    };
    tokens.look(token, counted, isFor);
  },
});

/** Result label of the metric. Undefined if not refused. */
function refusalOf(check: TokenCheck<TokenHolder>): TokenResult | undefined {
  if (!('refused' in check)) return undefined;
  return check.refused === 'used' ? 'reused' : check.refused;
}

/** Webhook event for applications. Undefined if they receive none. */
function webhookEventOf(
  { settings }: VideoRoom,
  event: ReportedEvent,
): Pick<RoomEvent, 'type' | 'user' | 'more'> | undefined {
  switch (event.type) {
    case 'active':
      return { type: 'room-active' };
    case 'over':
      return { type: 'room-drop' };
    case 'recording':
      return { type: 'recording', more: { state: event.on ? 'started' : 'stopped' } };
    case 'joined':
    case 'left': {
      const { participant: user } = event;
      if (user.role === 'audience' && !settings.send_audiences_stats) return undefined;
      if (event.type === 'joined') return { type: 'user-connected', user };
      return { type: 'user-disconnected', user, more: { reason: event.reason } };
    }
    case 'poll':
      return { type: 'poll', more: { state: event.state, poll: { ...event.report } } };
    case 'feedback': {
      const { participant: user, rating, text } = event;
      return { type: 'feedback', user, more: defined({ rating, text }) };
    }
    default:
      return undefined;
  }
}

function archiveEventOf(archive: Archive, event: ArchiveEvent, base: string): Pick<RoomEvent, 'type' | 'more'> {
  const { recording = [], transcoded = [] } = archiveBody(archive, base);
  switch (event.type) {
    case 'recorded':
      return { type: 'recording', more: { state: 'completed', recording } };
    case 'transcoded':
      return { type: 'transcoded', more: { transcoded } };
    case 'recording_failed':
      return { type: 'recording', more: { state: 'failed', participant: event.participant, description: event.why } };
  }
}

/** Rooms as calls look them up. */
function roomsForCalls(rooms: ReturnType<typeof createRooms>): RoomDirectory {
  const forCalls = (room: VideoRoom | undefined): Room | undefined =>
    room && defined<Room>({ roomId: room.roomId, projectId: room.projectId, name: room.name, pin: room.sip?.pin });
  return {
    find: (projectId, roomId) => forCalls(rooms.lookUp(projectId, roomId)),
    withPin: (projectId, pin) => forCalls(rooms.withPin(projectId, pin)),
  };
}

const doorOf = (sessions: RoomSessions): RoomDoor => ({
  enter: ({ projectId, roomId }, caller, visit) => enterByPhone(sessions, { projectId, roomId, ...caller }, visit),
});
