/** Scheduling priority of threads that carry audio. */
import { getPriority, setPriority } from 'node:os';

/** Nice value: a late packet is audible, while other work can wait. */
const NICE = -10;

/**
 * Raises the priority of the calling thread. Returns false if Linux refuses it (neither `RLIMIT_NICE` nor
 * CAP_SYS_NICE). On other systems it has no effect and returns true.
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

/** True if a thread of this process may raise its priority. The priority is unchanged afterwards. */
export function mayRaiseAudioPriority(): boolean {
  const before = getPriority();
  const isRaised = raiseAudioPriority();
  if (isRaised && process.platform === 'linux') setPriority(before);
  return isRaised;
}
