/**
 * Loads earlier versions for flow files that have errors at the start of the service, such as drafts: calls continue to
 * use the version that was live before. Neighbour: `load-flows.ts` loads the files.
 */
import type { FlowLibrary } from '../language/flow/flow-library.ts';
import { nameOfFlowFile } from '../service/calls/flow-files/find-flows.ts';
import type { FlowVersionStore } from '../service/calls/flow-files/flow-version-store.ts';

export interface EarlierFlow {
  flow: string;
  file: string;
  hash: string;
}

/** Returns the loaded versions. The diagnostics of the files stay in the library. */
export function compileEarlierFlows(
  library: FlowLibrary,
  versions: Pick<FlowVersionStore, 'list' | 'find'>,
): EarlierFlow[] {
  const taken: EarlierFlow[] = [];
  let waiting = library.sources().filter(({ flow }) => flow === undefined);
  // A flow may depend on another: as long as one can be loaded, the rest is tried again.
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
