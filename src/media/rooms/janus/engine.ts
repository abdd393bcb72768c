/**
 * Engine for larger rooms: Janus (https://janus.conf.meetecho.com) with its plugin for video rooms, as a child process
 * or as a list of nodes. Browsers do not connect to its API: their offers and answers pass through the service, which
 * owns all handles. A session is on one node; if the node is lost, the session is reopened on another one, or when a
 * node is back. The embedded engine does what Janus cannot: phones, recordings and live streams (`assisted-media.ts`).
 *
 * Invariants
 *  - a session without a node is in `#waiting`; commands for it are lost, and sent again by the service once a node
 *    carries it;
 *  - each loss is reported to the service once, with the sessions that were lost.
 */
import type { Clock } from '../../../base/core/clock.ts';
import {
  type EngineCommand,
  type EngineEvent,
  isAboutLiveStream,
  isAboutRecording,
  type RoomEngine,
  type RoomEngineCapabilities,
  type RoomEngineHost,
  type RoomEngineState,
  type SessionSpec,
} from '../sfu.ts';
import type { MediaAssistant } from './assisted-media.ts';
import type { JanusLink } from './janus-link.ts';
import { JanusNode, type JanusPlace } from './janus-node.ts';
import { JanusRoom } from './janus-room.ts';

export interface JanusEngineOptions {
  places: readonly JanusPlace[];
  /** Absent: rooms have no phones, recordings or live streams. */
  assistant?: MediaAssistant | undefined;
  clock: Clock;
  log(level: 'info' | 'warn' | 'error', message: string, fields?: Readonly<Record<string, unknown>>): void;
}

interface Carried {
  node: JanusNode;
  room: JanusRoom;
}

export class JanusRoomEngine implements RoomEngine {
  readonly name = 'janus';
  readonly #options: JanusEngineOptions;
  readonly #nodes: readonly JanusNode[];
  readonly #sessions = new Map<string, Carried>();
  readonly #waiting = new Set<string>();
  #host: RoomEngineHost | undefined;
  #hasTried = false;

  constructor(options: JanusEngineOptions) {
    this.#options = options;
    this.#nodes = options.places.map((place) => this.#nodeAt(place));
  }

  #nodeAt(place: JanusPlace): JanusNode {
    const { clock, log } = this.#options;
    const about = { node: place.name };
    const node: JanusNode = new JanusNode(place, clock, {
      up: () => {
        log('info', 'rooms.engine_running', about);
        this.#reopen([]);
      },
      down: (why) => {
        log('error', 'rooms.engine_died', { ...about, why });
        this.#lose(node);
      },
      failed: (why) => log('error', 'rooms.no_media', { ...about, why }),
    });
    return node;
  }

  get assistant(): MediaAssistant | undefined {
    return this.#options.assistant;
  }

  get capabilities(): RoomEngineCapabilities {
    const isAssisted = this.assistant !== undefined && this.assistant.state.media !== 'none';
    const liveStream = isAssisted ? 'by ffmpeg' : 'none';
    return { rtpLegs: isAssisted, simulcast: true, recording: isAssisted, liveStream };
  }

  get state(): RoomEngineState {
    if (this.#nodes.some(({ link }) => link)) return { media: 'running' };
    const problems = this.#nodes.flatMap(({ place, problem }) => (problem ? `${place.name}: ${problem}` : []));
    return this.#hasTried && problems.length > 0 ? { media: 'none', why: problems.join('; ') } : { media: 'starting' };
  }

  async start(host: RoomEngineHost): Promise<void> {
    this.#host = host;
    await this.assistant?.start({
      event: (confNum, event) => this.#assistantEvent(confNum, event),
      restarted: (lost) => this.#assistantRestarted(lost),
    });
    await Promise.all(this.#nodes.map((node) => node.start()));
    this.#hasTried = true;
  }

  async stop(): Promise<void> {
    for (const { room } of this.#sessions.values()) room.close();
    this.#sessions.clear();
    this.#waiting.clear();
    await Promise.all([...this.#nodes.map((node) => node.stop()), this.assistant?.stop()]);
    // Recordings become complete until then.
    this.#host = undefined;
  }

  /** Passes on only events about files: for participants, Janus is the better source. */
  #assistantEvent(confNum: string, event: EngineEvent): void {
    if (isAboutRecording(event) || isAboutLiveStream(event)) this.#host?.event(confNum, event);
    if (event.type === 'negotiate') this.#sessions.get(confNum)?.room.assistantSent(event.participant, event.message);
  }

  /** Default: the assistant lost all sessions. */
  #assistantRestarted(cutOff: readonly string[] = [...this.#sessions.keys()]): void {
    for (const confNum of cutOff) this.#sessions.get(confNum)?.room.assistantRestarted();
    // No session is lost; recordings are interrupted.
    this.#host?.restarted([], cutOff);
  }

  openSession(spec: SessionSpec): void {
    const { confNum } = spec;
    this.#sessions.get(confNum)?.room.close();
    this.#sessions.delete(confNum);
    this.#waiting.delete(confNum);
    const node = this.#leastLoaded();
    if (!node?.link) {
      this.#waiting.add(confNum);
      return;
    }
    this.#sessions.set(confNum, { node, room: this.#roomOn(node.link, spec) });
  }

  #roomOn(link: JanusLink, spec: SessionSpec): JanusRoom {
    const { clock, log, assistant } = this.#options;
    const { confNum } = spec;
    const room: JanusRoom = new JanusRoom(spec, {
      ...{ clock, link, assistant },
      report: (event) => {
        if (this.#sessions.get(confNum)?.room === room) this.#host?.event(confNum, event);
      },
      warn: (what, error) => {
        log('warn', 'rooms.engine_warned', {
          confNum,
          what,
          why: error instanceof Error ? error.message : String(error),
        });
      },
    });
    return room;
  }

  #leastLoaded(): JanusNode | undefined {
    const load = (node: JanusNode): number => [...this.#sessions.values()].filter((one) => one.node === node).length;
    return this.#nodes.filter(({ link }) => link).sort((one, other) => load(one) - load(other))[0];
  }

  listSessions(): string[] {
    return [...this.#sessions.keys()];
  }

  send(confNum: string, command: EngineCommand): void {
    if (command.type === 'end') this.#waiting.delete(confNum);
    const carried = this.#sessions.get(confNum);
    if (!carried) return;
    if (command.type === 'end') this.#sessions.delete(confNum);
    carried.room.command(command);
  }

  #lose(node: JanusNode): void {
    const lost = [...this.#sessions].filter(([, carried]) => carried.node === node);
    for (const [confNum, { room }] of lost) {
      this.#sessions.delete(confNum);
      room.close();
    }
    this.#reopen(lost.map(([confNum]) => confNum));
  }

  /** Reopens lost and waiting sessions through the service, as soon as there is a node for them. */
  #reopen(lost: readonly string[]): void {
    for (const confNum of lost) this.#waiting.add(confNum);
    if (this.#waiting.size === 0 || !this.#leastLoaded()) return;
    const all = [...this.#waiting];
    this.#waiting.clear();
    this.#host?.restarted(all);
  }
}
