/** The flow that a form shows and changes. The flow editor implements it. */
import type { ReadonlySignal, Signal } from '@preact/signals';
import type { TypedGraph } from '../../../../language/flow/text/graph-source.ts';
import type { NamesInFlow } from '../../../../language/flow/text/names.ts';
import type { Problem } from '../../../../language/flow/text/problems.ts';
import type { Several } from '../graph/several.ts';
import type { Renamed } from '../renames/renamed.ts';

export interface FormDraft {
  readonly name: string;
  readonly isLocked: boolean;
  readonly file: ReadonlySignal<{ built_in: boolean }>;
  readonly text: ReadonlySignal<string>;
  /** Selection of several steps. */
  readonly several: Several;
  readonly selected: Signal<string | undefined>;
  readonly names: ReadonlySignal<NamesInFlow>;
  readonly typed: ReadonlySignal<TypedGraph>;
  readonly problems: ReadonlySignal<readonly Problem[]>;
  /** Renames since the last save. */
  readonly renames: Renamed[];
}
