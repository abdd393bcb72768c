/**
 * Engine without media, for tests in virtual time: it records its commands, and reports the events that the test
 * injects.
 */
import type {
  EngineCommand,
  EngineEvent,
  RoomEngine,
  RoomEngineCapabilities,
  RoomEngineHost,
  SessionSpec,
} from './sfu.ts';

export class SimulatedRoomEngine implements RoomEngine {
  readonly name = 'simulated';
  readonly capabilities: RoomEngineCapabilities = {
    ...{ rtpLegs: true, simulcast: true },
    ...{ recording: true, speech: true, liveStream: 'by itself' },
  };
  readonly state = { media: 'running' } as const;
  readonly sessions = new Map<string, SessionSpec>();
  readonly commands: { confNum: string; command: EngineCommand }[] = [];
  #host: RoomEngineHost | undefined;

  async start(host: RoomEngineHost): Promise<void> {
    this.#host = host;
  }

  async stop(): Promise<void> {
    this.#host = undefined;
  }

  openSession(spec: SessionSpec): void {
    this.sessions.set(spec.confNum, spec);
  }

  listSessions(): string[] {
    return [...this.sessions.keys()];
  }

  send(confNum: string, command: EngineCommand): void {
    this.commands.push({ confNum, command });
    if (command.type === 'end') this.sessions.delete(confNum);
  }

  report(confNum: string, event: EngineEvent): void {
    this.#host?.event(confNum, event);
  }

  /** Simulates a crash and a restart without its sessions. */
  die(): void {
    this.sessions.clear();
    this.#host?.restarted();
  }
}
