/** The scheduling priority of threads that carry audio. */
import { getPriority, setPriority } from 'node:os';

/** A nice value: a late packet is audible, and other work can wait. */
const NICE = -10;

/**
 * Raises the priority of the calling thread. Returns false where Linux refuses it (neither `RLIMIT_NICE` nor CAP_SYS_NICE);
 * elsewhere priorities stay as they are, and nothing is refused.
 */
export function raiseAudioPriority(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    setPriority(NICE);
    return true;
  } catch {
    return false;
  }
}

/** True if a thread of this process may raise its priority. The priority stays as it was. */
export function mayRaiseAudioPriority(): boolean {
  const before = getPriority();
  const isRaised = raiseAudioPriority();
  if (isRaised && process.platform === 'linux') setPriority(before);
  return isRaised;
}
