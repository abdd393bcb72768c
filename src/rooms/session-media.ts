/**
 * The media of one session: the engine, as soon as it is needed, and the sound of telephones. A session commands it as if
 * the engine were there; telephones alone hear each other in the mix of their calls, without an engine.
 *
 * Invariants
 *  - the engine opens the session when the first browser is admitted, or something is recorded, and then learns who is in;
 *  - the mix of the telephones is open to the engine only while both are there, so that nothing is decoded otherwise;
 *  - a telephone is heard, by telephones and browsers, only while it is audible.
 */
import type { MixAddress } from '../core/mix-frame.ts';
import type { PhoneSound, Talker } from './phone-sound.ts';
import { type EngineCommand, PHONES, type RoomEngine, type SessionSpec } from './sfu.ts';

export interface SessionMediaParts {
  engine: RoomEngine;
  spec: SessionSpec;
  /** Of the telephones. */
  mixId: string;
  /** Absent: calls have no media that can be reached. */
  sound: PhoneSound | undefined;
  legOf(participant: string): string | undefined;
  /** A telephone begins or ends to talk. */
  talking(participant: string, on: boolean): void;
}

type Admission = Extract<EngineCommand, { type: 'admit' }>;

export class SessionMedia {
  readonly #parts: SessionMediaParts;
  readonly #phones = new Map<string, Talker | undefined>();
  #audible: readonly string[] = [];
  #isCarried = false;
  /** What the engine has to know when it opens the session: the last command of each kind, about each participant. */
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

  /** The engine runs again, without the session. False: it did not have it. */
  reopen(): boolean {
    if (!this.#isCarried) return false;
    this.#parts.engine.openSession(this.#parts.spec);
    if (this.#address) this.#command({ type: 'attach_phones', at: this.#address });
    return true;
  }

  /** What is to be done with telephones. */
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
      // Anew at the end: the order is that of the last commands.
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

  /** Telephones are recorded together, as they are published. */
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
  return command.type === 'record' ? command.on : command.type === 'broadcast' && command.directory !== undefined;
}

/** Commands with one key replace each other. */
function keyOf(command: EngineCommand): string {
  const { participant, source } = command as { participant?: string; source?: string };
  return [command.type, participant, source].filter((part) => part !== undefined).join(' ');
}

const isAbout = (command: EngineCommand, id: string): boolean => 'participant' in command && command.participant === id;
