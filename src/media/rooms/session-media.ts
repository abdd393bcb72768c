/**
 * Media of one session: the engine, opened when it is needed, and the audio of phones. The session sends commands as if
 * the engine were always open. Without browsers, phones hear each other in the mix of their calls, without an engine.
 *
 * Invariants
 *  - the engine opens the session when the first browser is admitted or a recording starts, and then receives the state
 *    of all participants;
 *  - the mix of the phones is connected to the engine only while both exist, so that audio is decoded only when needed;
 *  - a phone is heard, by phones and browsers, only while it is audible.
 */
import type { MixAddress } from '../toolbox/audio/mix-frame.ts';
import type { PhoneSound, PhoneTalker } from './phone-sound.ts';
import { type EngineCommand, PHONES, type RoomEngine, type SessionSpec } from './sfu.ts';

export interface SessionMediaParts {
  engine: RoomEngine;
  spec: SessionSpec;
  /** Id of the mix of the phones. */
  mixId: string;
  /** Absent if the media of calls are not accessible. */
  sound: PhoneSound | undefined;
  legOf(participant: string): string | undefined;
  /** A phone starts or stops talking. */
  talking(participant: string, on: boolean): void;
}

type Admission = Extract<EngineCommand, { type: 'admit' }>;

export class SessionMedia {
  readonly #parts: SessionMediaParts;
  readonly #phones = new Map<string, PhoneTalker | undefined>();
  #audible: readonly string[] = [];
  #isCarried = false;
  /** Commands to send when the engine opens the session: the last one of each kind and participant. */
  readonly #kept = new Map<string, EngineCommand>();
  #mix: { close(): void } | undefined;
  #address: MixAddress | undefined;

  constructor(parts: SessionMediaParts) {
    this.#parts = parts;
  }

  send(command: EngineCommand): void {
    this.#follow(command);
    if (this.#phones.size === 0) this.#closeMix();
    if (this.#isCarried) this.#command(command);
    else {
      this.#keep(command);
      if (needsEngine(command)) this.#carry();
    }
    if (command.type === 'end') this.#isCarried = false;
    else if (this.#phones.size > 0) this.#openMix();
  }

  /** Opens the session again after the engine restarted. False if the engine did not have it. */
  reopen(): boolean {
    if (!this.#isCarried) return false;
    this.#parts.engine.openSession(this.#parts.spec);
    if (this.#address) this.#command({ type: 'attach_phones', at: this.#address });
    return true;
  }

  /** Applies a command to phones. */
  #follow(command: EngineCommand): void {
    switch (command.type) {
      case 'admit':
        if (command.isPhone) this.#watch(command);
        break;
      case 'drop':
        this.#forget(command.participant);
        break;
      case 'set_audible':
        this.#audible = command.participants;
        for (const [id, talker] of this.#phones) talker?.setHeard(this.#audible.includes(id));
        break;
      case 'end':
        for (const id of [...this.#phones.keys()]) this.#forget(id);
        break;
    }
  }

  #watch({ participant }: Admission): void {
    if (this.#phones.has(participant)) return;
    const { sound, legOf, talking } = this.#parts;
    const legId = legOf(participant);
    const talker = legId === undefined ? undefined : sound?.watchTalker(legId, (on) => talking(participant, on));
    talker?.setHeard(this.#audible.includes(participant));
    this.#phones.set(participant, talker);
  }

  #forget(participant: string): void {
    this.#phones.get(participant)?.close();
    this.#phones.delete(participant);
  }

  #keep(command: EngineCommand): void {
    const key = keyOf(command);
    if (command.type === 'drop') {
      for (const [each, kept] of this.#kept) if (isAbout(kept, command.participant)) this.#kept.delete(each);
    } else if (command.type === 'grant') {
      const admitted = this.#kept.get(`admit ${command.participant}`) as Admission | undefined;
      if (admitted) this.#kept.set(keyOf(admitted), { ...admitted, grants: command.grants });
    } else if (command.type === 'end') this.#kept.clear();
    else {
      // Moves the key to the end, so that the order is that of the last commands.
      this.#kept.delete(key);
      this.#kept.set(key, command);
    }
  }

  #carry(): void {
    this.#isCarried = true;
    this.#parts.engine.openSession(this.#parts.spec);
    for (const command of this.#kept.values()) this.#command(command);
    this.#kept.clear();
  }

  #command(command: EngineCommand): void {
    const { engine, spec } = this.#parts;
    engine.send(spec.confNum, command.type === 'record' ? this.#withPhones(command) : command);
  }

  /** Phones are recorded together, as they are published. */
  #withPhones(command: Extract<EngineCommand, { type: 'record' }>): EngineCommand {
    const isAny = Object.keys(command.sources).some((id) => this.#phones.has(id));
    return isAny ? { ...command, sources: { ...command.sources, [PHONES]: ['audio'] } } : command;
  }

  #openMix(): void {
    const { engine, sound, mixId } = this.#parts;
    if (this.#mix || !this.#isCarried || !engine.capabilities.rtpLegs) return;
    this.#mix = sound?.openMix(mixId, (at) => {
      this.#address = at;
      this.#command({ type: 'attach_phones', at });
    });
  }

  #closeMix(): void {
    if (!this.#mix) return;
    this.#command({ type: 'detach_phones' });
    this.#mix.close();
    this.#mix = undefined;
    this.#address = undefined;
  }
}

function needsEngine(command: EngineCommand): boolean {
  if (command.type === 'admit') return !command.isPhone;
  return command.type === 'record' ? command.on : command.type === 'live_stream' && command.directory !== undefined;
}

/** A command replaces the previous one with the same key. */
function keyOf(command: EngineCommand): string {
  const { participant, source } = command as { participant?: string; source?: string };
  return [command.type, participant, source].filter((part) => part !== undefined).join(' ');
}

const isAbout = (command: EngineCommand, id: string): boolean => 'participant' in command && command.participant === id;
