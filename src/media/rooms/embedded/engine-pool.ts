/**
 * Embedded engine with several processes (`engine.ts` is one): the sessions of a project share a process, phones in
 * browsers have their own. A crash or overload of one process, such as an attack by a participant, does not affect the
 * others. Each has its own UDP port, the first one that of the configuration; each starts on demand.
 *
 * Invariants
 *  - a session stays in its process while that works; all concurrent sessions of a project are in the same process;
 *  - a project is assigned to the working process with the fewest sessions;
 *  - with a single process, sessions and phones share it.
 */
import type { EngineCommand, RoomEngine, RoomEngineHost, RoomEngineState } from '../sfu.ts';
import type { EngineWebphones } from '../webphone/engine-webphones.ts';
import { EMBEDDED_CAPABILITIES, type EmbeddedEngineOptions, EmbeddedRoomEngine } from './engine.ts';
import type { MediaSpec } from './media-session.ts';

export interface EnginePoolOptions extends EmbeddedEngineOptions {
  /** Number of processes; they use `port` and the ports that follow. */
  processes: number;
}

interface Place {
  engine: EmbeddedRoomEngine;
  /** Project of each session of the process. */
  sessions: Map<string, string>;
}

export class EmbeddedEnginePool implements RoomEngine {
  readonly name = 'embedded';
  readonly capabilities = EMBEDDED_CAPABILITIES;
  readonly #places: readonly Place[];
  readonly #phones: EmbeddedRoomEngine;
  readonly #bySession = new Map<string, Place>();
  #host: RoomEngineHost | undefined;

  constructor({ processes, port, ...options }: EnginePoolOptions) {
    const engines = Array.from({ length: processes }, (_, index): EmbeddedRoomEngine => {
      const gaveUp = (): void => this.#moveFrom(engine);
      const engine = new EmbeddedRoomEngine({ ...options, port: port + index, gaveUp });
      return engine;
    });
    this.#phones = engines.at(-1)!;
    const ofRooms = processes === 1 ? engines : engines.slice(0, -1);
    this.#places = ofRooms.map((engine) => ({ engine, sessions: new Map() }));
  }

  /** Phones in browsers, which are calls and not sessions. */
  get webphones(): EngineWebphones {
    return this.#phones.webphones;
  }

  /** Best state of the processes for rooms; if none works, the reason of the first. */
  get state(): RoomEngineState {
    const states = this.#places.map(({ engine }) => engine.state);
    for (const media of ['running', 'starting', 'idle'] as const)
      if (states.some((each) => each.media === media)) return { media };
    return states[0]!;
  }

  /** Undefined if the session has no running process. */
  processOf(confNum: string): number | undefined {
    return this.#bySession.get(confNum)?.engine.processId;
  }

  /** Ids of the running processes, for rooms and phones. */
  get processIds(): number[] {
    const engines = new Set([...this.#places.map(({ engine }) => engine), this.#phones]);
    return [...engines].flatMap(({ processId }) => processId ?? []);
  }

  async start(host: RoomEngineHost): Promise<void> {
    this.#host = host;
    for (const { engine, sessions } of this.#places) {
      await engine.start({
        event: (confNum, event) => host.event(confNum, event),
        restarted: () => host.restarted([...sessions.keys()]),
      });
    }
    if (this.#places.some(({ engine }) => engine === this.#phones)) return;
    await this.#phones.start({ event: () => undefined, restarted: () => undefined });
  }

  async stop(): Promise<void> {
    this.#host = undefined;
    this.#bySession.clear();
    for (const { sessions } of this.#places) sessions.clear();
    await Promise.all([...this.#places.map(({ engine }) => engine.stop()), this.#phones.stop()]);
  }

  openSession(spec: MediaSpec): void {
    const { confNum, project = '' } = spec;
    const before = this.#bySession.get(confNum);
    const place = this.#placeFor(project);
    if (before && before !== place) this.#leave(before, confNum);
    place.sessions.set(confNum, project);
    this.#bySession.set(confNum, place);
    place.engine.openSession(spec);
  }

  #placeFor(project: string): Place {
    const working = this.#places.filter(({ engine }) => engine.state.media !== 'none');
    const all = working.length > 0 ? working : this.#places;
    const own = all.find(({ sessions }) => [...sessions.values()].includes(project));
    return own ?? all.reduce((least, each) => (each.sessions.size < least.sessions.size ? each : least));
  }

  /** The process cannot run, for example because its port is in use: reopens its sessions in the others. */
  #moveFrom(engine: EmbeddedRoomEngine): void {
    const sessions = this.#places.find((each) => each.engine === engine)?.sessions;
    const isAny = this.#places.some((each) => each.engine.state.media !== 'none');
    if (isAny && sessions && sessions.size > 0) this.#host?.restarted([...sessions.keys()]);
  }

  #leave({ engine, sessions }: Place, confNum: string): void {
    engine.send(confNum, { type: 'end' });
    sessions.delete(confNum);
  }

  listSessions(): string[] {
    return this.#places.flatMap(({ engine }) => engine.listSessions());
  }

  send(confNum: string, command: EngineCommand): void {
    const place = this.#bySession.get(confNum);
    if (!place) return;
    if (command.type === 'end') {
      this.#bySession.delete(confNum);
      this.#leave(place, confNum);
    } else place.engine.send(confNum, command);
  }
}
