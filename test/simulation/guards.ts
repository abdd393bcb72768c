/**
 * What keeps a cluster from doing something twice or not at all. A simulation can go without one of them: then its checker
 * has to notice, or nobody knows what the guard is for. They are switched off in the simulated parts (store, engine,
 * membership); the code that is tested knows nothing of it.
 */
export interface Guards {
  /** The store refuses what is written under another fence. */
  fence: boolean;
  /** A decision counts when the replica has it, too (WAIT). */
  wait: boolean;
  /** A decision that is given twice is written once. */
  idempotent: boolean;
  /** Nothing is done while the own lease is not certain. */
  lease: boolean;
  /** A node that starts again has another name. */
  newName: boolean;
  /** A node adopts calls that are its own and that it does not run. */
  orphans: boolean;
  /** Who adopts a call asks the engine what was done. */
  ask: boolean;
  /** An engine that outlives nodes takes commands of the one that holds the connection. */
  connection: boolean;
  /** What an engine that outlives nodes says of a leg while its adopter asks about it is heard when it has answered. */
  hold: boolean;
}

export type Guard = keyof Guards;

export const ALL_GUARDS: Readonly<Guards> = {
  fence: true,
  wait: true,
  idempotent: true,
  lease: true,
  newName: true,
  orphans: true,
  ask: true,
  connection: true,
  hold: true,
};

/** All but this one. Orphans of an earlier life would be found although it kept its name: there, both are off. */
export const without = (guard: Guard): Guards => ({
  ...ALL_GUARDS,
  [guard]: false,
  ...(guard === 'newName' ? { orphans: false } : {}),
});
