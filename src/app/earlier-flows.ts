/**
 * A file that has errors when the service starts, such as a draft: calls go on with the version that was in force, as they
 * did before the start. Neighbour: `load-flows.ts` loads the files.
 */
import { nameOfFlowFile } from '../calls/flow-files/find-flows.ts';
import type { FlowVersionStore } from '../calls/flow-files/flow-version-store.ts';
import type { FlowLibrary } from '../flow/flow-library.ts';

export interface EarlierFlow {
  flow: string;
  file: string;
  hash: string;
}

/** Returns those that were taken. What is wrong with their files stays among the diagnostics of the library. */
export function takeEarlierFlows(
  library: FlowLibrary,
  versions: Pick<FlowVersionStore, 'list' | 'find'>,
): EarlierFlow[] {
  const taken: EarlierFlow[] = [];
  let waiting = library.sources().filter(({ flow }) => flow === undefined);
  // One may call another: as long as any can be taken, the rest is tried again.
  for (let before = -1; before !== taken.length; ) {
    before = taken.length;
    waiting = waiting.filter(({ file, text }) => {
      const flow = nameOfFlowFile(file, text);
      if (library.sources().some((other) => other.flow?.name === flow)) return false;
      const [latest] = versions.list(flow);
      const version = latest?.isInForce ? versions.find(latest.hash) : undefined;
      const hash = version && library.takeEarlier(file, version.text)?.hash;
      if (hash === undefined) return true;
      taken.push({ flow, file, hash });
      return false;
    });
  }
  return taken;
}
