/** Changes of a flow's content: each edit in the studio is a list of them. `rewrite.ts` applies them to the text. */
import type { Json } from '../../../base/core/json.ts';
import type { Path } from './flow-source.ts';

/** Paths refer to the text before all changes. */
export type Change =
  | { do: 'set'; path: Path; value: string | number | boolean | null }
  | AddChange
  | { do: 'remove'; path: Path }
  | { do: 'key'; path: Path; to: string }
  | WordsChange;

export interface AddChange {
  do: 'add';
  /** Path of the map. */
  path: Path;
  key: string;
  value: Json;
  /** Existing key after which the pair is inserted; default: the last key. */
  after?: string;
  /** True to insert the pair before all others. */
  first?: boolean;
  /** Literal text of the pair, beginning with its key, in lines without the indentation of the key. */
  written?: string;
}

export interface WordsChange {
  do: 'words';
  path: Path;
  /** A global regular expression. */
  pattern: RegExp;
  /** Replacement for each match in the value; undefined keeps the match. */
  words: readonly (string | undefined)[];
}
