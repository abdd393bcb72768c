/**
 * Candidate versions of flows: kept without going live, and published later. Neighbours: `flow-files.ts` saves a
 * published version, `canaries/` lets some callers have a candidate before that.
 */
import { hasErrors } from '../../../base/core/diagnostic.ts';
import { CallError } from '../call-error.ts';
import { nameInText } from './find-flows.ts';
import type { FlowFiles, SaveOrder } from './flow-files.ts';
import type { FlowVersionStore, KeptVersion, ListedVersion } from './flow-version-store.ts';
import { invalid, requireOwnName } from './save-files.ts';

export interface FlowCandidates {
  /** Throws if the text is invalid. An unchanged text is the same version. */
  keep(name: string, order: Pick<SaveOrder, 'text' | 'who' | 'signal'>): Promise<ListedVersion>;
  /** Makes the version the text of the flow's file. */
  publish(name: string, order: PublishOrder): ReturnType<FlowFiles['save']>;
  find(name: string, hash: string): KeptVersion;
}

export interface PublishOrder extends Pick<SaveOrder, 'precondition' | 'who' | 'signal'> {
  version: string;
}

export interface FlowCandidatesParts {
  flowFiles: Pick<FlowFiles, 'show' | 'check' | 'save'>;
  versions: Pick<FlowVersionStore, 'add' | 'find' | 'list'>;
  nowMs(): number;
}

export function createFlowCandidates({ flowFiles, versions, nowMs }: FlowCandidatesParts): FlowCandidates {
  const find: FlowCandidates['find'] = (name, hash) => {
    const version = versions.find(hash);
    if (version?.name !== name) throw new CallError('unknown_flow', 'there is no such version');
    return version;
  };
  return {
    find,
    async keep(name, { text, who, signal }) {
      const { isBuiltIn } = await flowFiles.show(name);
      if (isBuiltIn) throw new CallError('read_only', `the flow ${name} comes with the program`);
      requireOwnName(name, nameInText(text));
      const { diagnostics, name: written, hash } = await flowFiles.check(name, text, { signal });
      if (hasErrors(diagnostics) || hash === undefined) throw invalid(diagnostics);
      requireOwnName(name, written);
      versions.add({ name, text, hash, author: who, firstMs: nowMs() });
      return versions.list(name).find((version) => version.hash === hash)!;
    },
    async publish(name, { version, ...order }) {
      const { text } = find(name, version);
      const { hash = version } = await flowFiles.check(name, text, { signal: order.signal });
      requireVersion(version, hash);
      return flowFiles.save(name, { ...order, text, isDraft: false });
    },
  };
}

/** `made`: version that the text compiles to now, which differs if a file that it names has changed. */
export function requireVersion(version: string, made: string): void {
  if (made === version) return;
  throw new CallError('flow_invalid', 'a file of this version was modified', {
    hint: 'store its text as a candidate again',
  });
}
