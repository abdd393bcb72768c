/** Changes of a flow's content: each edit in the studio is a list of them. `rewrite.ts` applies them to the text. */
import type { Json, JsonObject } from '../../../base/core/json.ts';
import type { Path } from './flow-source.ts';

/** Paths refer to the text before all changes. */
export type Change =
  | SetChange
  | AddChange
  | LiftChange
  | InsertChange
  /** The path of a pair of a map. */
  | { do: 'remove'; path: Path }
  /** The path of an item of a list. */
  | { do: 'removeItem'; path: Path }
  /** Moves an item of a list, or a pair of a map, with its comments. `to` is its position afterwards. */
  | { do: 'moveItem'; path: Path; to: number }
  | { do: 'key'; path: Path; to: string }
  | WordsChange;

export interface SetChange {
  do: 'set';
  path: Path;
  value: Json;
  /** Literal text of the value, in lines without the indentation of its first line. */
  written?: string;
}

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

/** Turns a value in short form into a map: `welcome` becomes `{ prompt: welcome, barge_in: true }`. */
export interface LiftChange {
  do: 'lift';
  path: Path;
  /** Key of the value in the map. */
  key: string;
  /** The other pairs of the map. */
  pairs: JsonObject;
}

/** Inserts an item of a list. */
export interface InsertChange {
  do: 'insert';
  /** Path of the list. */
  path: Path;
  /** Position of the new item. */
  index: number;
  value: Json;
}

export interface WordsChange {
  do: 'words';
  path: Path;
  /** A global regular expression. */
  pattern: RegExp;
  /** Replacement for each match in the value; undefined keeps the match. */
  words: readonly (string | undefined)[];
}
