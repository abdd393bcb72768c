/**
 * Patterns of names in flows: letters of any script with their marks, digits, `_` and `-`. The schemas contain the same
 * patterns. Names are compared in Unicode's composed form (NFC), which the readers of files produce.
 */

/** Letter, mark, digit or `_`, as the source of a character class. */
export const NAME_CHARACTERS = '\\p{L}\\p{M}\\p{N}_';
/** Name that JSONata reads without backticks, as the source of an expression. */
export const PLAIN_NAME = `[\\p{L}_][${NAME_CHARACTERS}]*`;

/** Names that a step may have. */
export const STEP_NAME = /^[\p{L}_][\p{L}\p{M}\p{N}_-]{0,63}$/u;
/** Names of choices, arms and other outcomes that a step declares. */
export const OUTCOME_NAME = /^[\p{L}\p{N}_-][\p{L}\p{M}\p{N}_-]{0,63}$/u;
