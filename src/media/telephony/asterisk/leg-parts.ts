/** Parts that the legs of an Asterisk share, and their callbacks to its engine. */
import type { Clock } from '../../../base/core/clock.ts';
import type { LegEvent } from '../../../base/core/leg.ts';
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
  /** Lease of this node, which protects the leg against other nodes; absent: there are none. */
  lease?: NodeLease | undefined;
  emit(legId: string, event: LegEvent): void;
  /** Playbacks are assigned to their leg by name. */
  claim(name: string, legId: string): void;
  release(name: string): void;
  /** Subscribes to events of these channels; false if Asterisk does not confirm it. */
  subscribe(channelIds: readonly string[]): Promise<boolean>;
  /** Another node owns the leg. */
  lost(legId: string): void;
  gone(legId: string): void;
  log(message: string, fields: Readonly<Record<string, unknown>>): void;
}
