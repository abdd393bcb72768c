/** The seed that a call's own chance is made of: kept in its journal, so that a replay draws the same numbers. */
export const newSeed = (chance: () => number): number => Math.floor(chance() * 2 ** 32);
