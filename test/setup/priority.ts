/**
 * Lowers the process priority for files without a turn, in favour of real-time tests. Only if the process may raise its
 * priority again, as root usually may, because a worker runs files of both kinds.
 */
import { constants, getPriority, setPriority } from 'node:os';

const USUAL = 'CALLWEAVE_USUAL_PRIORITY';
/** Less than threads of our own yield to calls, which a test looks at. */
const YIELDS_BY = 5;
const LOWEST = constants.priority.PRIORITY_LOW;

/** For the workers of this run, which inherit the environment. */
export function findPriority(): void {
  const usual = getPriority();
  try {
    setPriority(usual + 1);
    setPriority(usual);
    process.env[USUAL] = String(usual);
  } catch {
    // All are alike.
  }
}

export function setYielding(yields: boolean): void {
  const usual = process.env[USUAL];
  if (usual !== undefined) setPriority(Math.min(LOWEST, Number(usual) + (yields ? YIELDS_BY : 0)));
}
