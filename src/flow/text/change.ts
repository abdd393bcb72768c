/** Changes of what a flow says: each edit of the studio is a list of them. `rewrite.ts` makes them in the text. */
import type { Json } from '../../core/json.ts';
import type { Path } from './flow-source.ts';

/** Paths are those of the text before all changes. */
export type Change =
  | { do: 'set'; path: Path; value: string | number | boolean | null }
  | AddChange
  | { do: 'remove'; path: Path }
  | { do: 'key'; path: Path; to: string }
  | WordsChange;

export interface AddChange {
  do: 'add';
  /** Of the map. */
  path: Path;
  key: string;
  value: Json;
  /** The key that it stands behind; else the last. */
  after?: string;
  /** Stands before all others. */
  first?: boolean;
  /** The pair as somebody wrote it, beginning with its key, in lines without the indentation of the key. */
  written?: string;
}

export interface WordsChange {
  do: 'words';
  path: Path;
  /** Global. */
  pattern: RegExp;
  /** For each match in the value; what is undefined stays. */
  words: readonly (string | undefined)[];
}
