/** What the legs of an Asterisk share, and what they say of themselves to its engine. */
import type { Clock } from '../../core/clock.ts';
import type { LegEvent } from '../../core/leg.ts';
import type { AriClient } from './ari-client.ts';
import type { NodeLease } from './leg-guard.ts';
import type { Mixes } from './mixes.ts';
import type { SoundFiles } from './sound-files.ts';

export interface LegParts {
  ari: Pick<AriClient, 'request' | 'file'>;
  application: string;
  sounds: SoundFiles;
  mixes: Mixes;
  clock: Clock;
  recordDirectory: string;
  /** Other nodes may take the leg over while this is not ours; absent: there are none. */
  lease?: NodeLease | undefined;
  emit(legId: string, event: LegEvent): void;
  /** Playbacks of the leg are found by their names. */
  claim(name: string, legId: string): void;
  release(name: string): void;
  /** From now on events of these channels come here; false where Asterisk does not say so. */
  subscribe(channelIds: readonly string[]): Promise<boolean>;
  /** Another node has it. */
  lost(legId: string): void;
  gone(legId: string): void;
  log(message: string, fields: Readonly<Record<string, unknown>>): void;
}
