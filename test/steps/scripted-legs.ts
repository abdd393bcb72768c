/** Simulated calls with several legs: dialled parties, commands to each leg, and events of venues. */
import { onTestFinished } from 'vitest';
import { causeOf } from '../../src/base/core/causes.ts';
import type { Fault } from '../../src/base/core/fault.ts';
import type { Json } from '../../src/base/core/json.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import type { VenueKind } from '../../src/base/core/venue-kind.ts';
import type { DialRequest } from '../../src/media/telephony/engine.ts';
import type { RuntimePorts } from '../../src/service/runtime/ports.ts';
import type { VenueMember } from '../../src/service/runtime/venue.ts';
import type { TestCall } from '../runtime/test-call.ts';
import { startSteps } from './scripted-call.ts';

type CommandOf<Type extends LegCommand['type']> = Extract<LegCommand, { type: Type }>;

/** One leg from the view of the test: received commands and sent events. */
export class ScriptedLeg {
  readonly id: string;
  readonly commands: LegCommand[] = [];
  readonly #tell: (event: LegEvent) => Promise<void>;
  /** True if the leg has emitted `ended`, or will at once. */
  ended = false;

  constructor(id: string, tell: (event: LegEvent) => Promise<void>) {
    this.id = id;
    this.#tell = tell;
  }

  async emit(...events: LegEvent[]): Promise<void> {
    for (const event of events) {
      if (event.type === 'ended') this.ended = true;
      await this.#tell(event);
    }
  }

  rings = () => this.emit({ type: 'ringing' });
  answers = () => this.emit({ type: 'answered' });
  early = () => this.emit({ type: 'early_media' });
  press = (digit: string) => this.emit({ type: 'digit', digit, durationMs: 100 });
  holds = (held: boolean) => this.emit({ type: 'far_hold', held });
  ends = (code = 16) => this.emit({ type: 'ended', cause: causeOf(code), by: 'far' });

  /** Received commands without `stop_play`, such as `join call-1:1`, `play ringing`, `hangup 26`. */
  get asked(): string[] {
    return this.commands.filter(({ type }) => type !== 'stop_play').map(brief);
  }

  last<Type extends LegCommand['type']>(type: Type): CommandOf<Type> {
    const found = this.commands.findLast((command) => command.type === type);
    if (!found) throw new Error(`the line was not asked to ${type}: ${this.asked.join(', ')}`);
    return found as CommandOf<Type>;
  }

  /** Name or text of the first item of the current play. Undefined if the last play was stopped. */
  get hears(): string | undefined {
    const play = this.commands.findLast((command) => command.type === 'play');
    if (play?.type !== 'play') return undefined;
    const stopped = this.commands.some((command) => command.type === 'stop_play' && command.playId === play.playId);
    return stopped ? undefined : nameOf(play);
  }

  finishPlay = () =>
    this.emit({ type: 'play_ended', playId: this.last('play').playId, reason: 'finished', playedMs: 1000 });

  /** Id of the leg's mix; undefined if it is in none. */
  get mix(): string | undefined {
    const moved = this.commands.findLast(({ type }) => type === 'join' || type === 'leave');
    return moved?.type === 'join' ? moved.mixId : undefined;
  }

  get hungUp(): number | undefined {
    const command = this.commands.find(({ type }) => type === 'hangup');
    return command?.type === 'hangup' ? command.cause : undefined;
  }
}

const nameOf = ({ audio }: CommandOf<'play'>): string => {
  const [first] = audio;
  return first?.name ?? (first?.type === 'speech' ? first.text : (first?.type ?? ''));
};

function brief(command: LegCommand): string {
  switch (command.type) {
    case 'play':
      return `play ${nameOf(command)}`;
    case 'join':
      return `join ${command.mixId}${command.muted ? ' muted' : ''}`;
    case 'hangup':
      return `hangup ${command.cause}`;
    case 'refer_progress':
      return `refer_progress ${command.sipStatus}`;
    case 'refer':
      return `refer ${command.to}`;
    case 'mute':
      return `mute ${command.muted}`;
    default:
      return command.type;
  }
}

export interface ScriptedVenue {
  kind: VenueKind;
  member: VenueMember;
  /** Messages of the call to the venue, and `exit`. */
  heard: string[];
  tell(name: string, data?: Json): Promise<void>;
}

export interface ScriptedLegs {
  call: TestCall;
  caller: ScriptedLeg;
  dials: DialRequest[];
  places: ScriptedVenue[];
  /** All legs except the caller's, in the order in which they joined the call. */
  readonly all: ScriptedLeg[];
  /** Ends the call; throws if a leg is left. */
  close(): Promise<void>;
  /** The leg that was dialled last at this address. */
  party(to: string): ScriptedLeg;
  /** A leg that moved here from another call. */
  stranger(legId: string): ScriptedLeg;
  /** Dialled addresses, in order. */
  dialled(): string[];
  /** `initiated +331`, `bridged +331`, `failed +331 17` … as observers receive them. */
  bridge(): string[];
  result(): Json;
}

export type ScriptedLegOptions = NonNullable<Parameters<typeof startSteps>[1]> & {
  /** True for an outbound, answered call; default: an inbound call that is ringing. */
  outbound?: boolean;
  /** Fault with which recordings are refused. */
  fault?: Fault;
};

const OUTBOUND = {
  direction: 'outbound',
  from: '+33100',
  to: '+33200',
  dial: { legId: 'main', from: '+33100', to: '+33200', ringTimeoutMs: 30_000 },
} as const;

export async function startLegs(
  steps: string,
  { outbound = false, fault, ...options }: ScriptedLegOptions = {},
): Promise<ScriptedLegs> {
  let call: TestCall | undefined;
  const caller = new ScriptedLeg('main', async (event) => call!.tell(event));
  const dials: DialRequest[] = [];
  const lines = new Map<string, ScriptedLeg>();
  const places: ScriptedVenue[] = [];
  /** Events emitted before the call existed. */
  const unheard: (() => Promise<void>)[] = [];
  const settle = () => call!.clock.settle();
  const addLine = (legId: string): ScriptedLeg => {
    const line = new ScriptedLeg(legId, async (event) => {
      call!.run.post({ type: 'leg', leg: legId, event });
      await settle();
    });
    lines.set(legId, line);
    return line;
  };
  const stranger = (legId: string) => lines.get(legId) ?? addLine(legId);
  const venue = (kind: VenueKind) => ({
    enter(member: VenueMember) {
      places.push({
        kind,
        member,
        heard: [],
        async tell(name, data = {}) {
          member.emit(name, data);
          await settle();
        },
      });
    },
    tell: (memberId: string, name: string) =>
      places.find(({ member }) => member.memberId === memberId)?.heard.push(name),
    exit: (memberId: string) => places.find(({ member }) => member.memberId === memberId)?.heard.push('exit'),
  });
  const ports: Partial<RuntimePorts> = {
    engine: {
      dial(request) {
        const { legId } = request;
        if (legId === 'main') return;
        dials.push(request);
        addLine(legId);
      },
      send(legId, command) {
        const line = legId === 'main' ? caller : (lines.get(legId) ?? stranger(legId));
        line.commands.push(command);
        if (command.type !== 'hangup' || line.ended) return;
        line.ended = true;
        // As in an engine, the event is emitted later and never inside `send`.
        const told = () => line.emit({ type: 'ended', cause: causeOf(command.cause), by: 'near' });
        if (call) queueMicrotask(() => void told());
        else unheard.push(told);
      },
    },
    venues: { conference: venue('conference'), queue: venue('queue'), room: venue('room') },
    recordings: {
      open: ({ recordingId }) => (fault ? { fault } : { file: `${recordingId}.wav` }),
      close: () => undefined,
    },
    mayPresent: (_project, cli) => cli.startsWith('+331'),
    mayStream: (_project, url) => url.startsWith('wss://'),
  };
  call = await startSteps(steps, {
    ...options,
    spec: { legId: 'main', ...(outbound ? OUTBOUND : {}), ...options.spec },
    ports: { ...ports, ...options.ports },
  });
  const whole = call;
  for (const told of unheard) await told();
  if (outbound || caller.commands.some(({ type }) => type === 'answer')) await caller.answers();
  const close = async (): Promise<void> => {
    // Legs that are still active after the end of the call are an error.
    await caller.emit({ type: 'ended', cause: causeOf(16), by: 'far' });
    await settle();
    const left = [...lines.values()].filter((line) => !line.ended);
    if (left.length > 0) throw new Error(`still on the line: ${left.map(({ id }) => id).join(', ')}`);
  };
  onTestFinished(close);
  return {
    call: whole,
    caller,
    get all() {
      return [...lines.values()];
    },
    close,
    dials,
    places,
    party(to) {
      const request = dials.findLast((each) => each.to === to);
      if (!request) throw new Error(`${to} was not called, but ${dials.map((each) => each.to).join(', ')}`);
      return lines.get(request.legId)!;
    },
    stranger,
    dialled: () => dials.map(({ to }) => to),
    bridge: () =>
      whole
        .journal()
        .flatMap((entry) =>
          entry.kind === 'bridge' ? [`${entry.state} ${entry.to}${entry.cause ? ` ${entry.cause.code}` : ''}`] : [],
        ),
    result: () => {
      const left = whole.journal().findLast((entry) => entry.kind === 'left' && entry.step === 'first');
      return left?.kind === 'left' ? (left.result ?? null) : null;
    },
  };
}
