/** Finishes or removes what a crash has left of writes to the directory of flows. It runs before flows are loaded. */
import type { Log } from '../base/core/log.ts';
import { removeParts } from '../service/calls/flow-files/atomic-write.ts';
import { finishSave } from '../service/calls/flow-files/write-together.ts';

export async function finishFlowWrites(directory: string, log: Log): Promise<void> {
  try {
    const finished = await finishSave(directory);
    if (finished) log.warn('flows.save_finished', { ...finished });
  } catch (error) {
    // The temporary files stay, because the record of the save names them.
    log.warn('flows.save_unfinished', { directory, error });
    return;
  }
  const files = await removeParts(directory);
  if (files.length > 0) log.info('flows.leftovers_removed', { files });
}
