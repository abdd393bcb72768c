/**
 * Files without a turn yield their processor to those that talk in real time. Only where a process may take its priority
 * back, which root may in most places: a worker has files of both kinds.
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
