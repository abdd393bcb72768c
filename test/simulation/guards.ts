/**
 * The guards that keep a cluster from doing something twice or not at all. A simulation can switch one of them off:
 * then its checker has to report an error, which proves that the guard is needed. Guards are switched off in the
 * simulated parts (store, engine, membership), so that the code under test has no switches.
 */
export interface Guards {
  /** The store refuses writes with a stale fence. */
  fence: boolean;
  /** A decision counts only when the replica has it too (WAIT). */
  wait: boolean;
  /** A decision that is sent twice is written once. */
  idempotent: boolean;
  /** A node does nothing while its lease is uncertain. */
  lease: boolean;
  /** A restarted node has a new name. */
  newName: boolean;
  /** A node adopts its own calls that it does not run. */
  orphans: boolean;
  /** The adopter of a call asks the engine which commands were carried out. */
  ask: boolean;
  /** An engine that outlives nodes accepts commands only from the node that holds the connection. */
  connection: boolean;
  /**
   * Events of a leg that arrive while its adopter queries an engine that outlives nodes are handled after the answer.
   */
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

/**
 * All guards but this one. With a kept name, orphans of an earlier life would still be found: that switches off both.
 */
export const without = (guard: Guard): Guards => ({
  ...ALL_GUARDS,
  [guard]: false,
  ...(guard === 'newName' ? { orphans: false } : {}),
});
