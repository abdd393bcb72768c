/**
 * Drafts: unsaved texts of flows, one for each person and flow, so that work continues in another browser. Calls never
 * use them. The text is stored apart, because lists need only its time and size.
 */
import type { Json } from '../../../base/core/json.ts';
import { CallError } from '../call-error.ts';
import type { SettingStore } from '../settings/setting-store.ts';

export interface DraftHead {
  flow: string;
  /** Name of the administrator. */
  who: string;
  /** `ETag` of the saved text that the draft is based on. */
  base: string;
  atMs: number;
  /** UTF-8 bytes of the text. */
  bytes: number;
}

export interface StoredDraft extends DraftHead {
  text: string;
}

export interface Drafts {
  /** Drafts of a person, latest first. */
  of(who: string): DraftHead[];
  /** Throws `unknown_setting`. */
  find(who: string, flow: string): StoredDraft;
  /** Throws `text_too_large` or `list_full`. */
  put(draft: Pick<StoredDraft, 'who' | 'flow' | 'base' | 'text'>): Promise<DraftHead>;
  remove(who: string, flow: string): Promise<void>;
  /** Removes the drafts of all people. */
  removeFlow(flow: string): Promise<void>;
  /** Removes all drafts of a person, so that a later person of the same name cannot read them. */
  removePerson(who: string): Promise<void>;
}

/** Every node of a cluster holds all drafts in memory. */
const MAX_BYTES = 512 * 1024;
const MAX_DRAFTS_OF_PERSON = 50;
const MAX_DRAFTS = 500;
const KEPT_DAYS = 14;
const KEPT_MS = KEPT_DAYS * 86_400_000;

/** Names of flows contain no space. */
const keyOf = ({ who, flow }: Pick<DraftHead, 'who' | 'flow'>): string => `${flow} ${who}`;

export function createDrafts({ store, nowMs }: { store: SettingStore; nowMs(): number }): Drafts {
  const all = (): DraftHead[] => store.list('draft').map(({ value }) => value as unknown as DraftHead);
  const isKept = ({ atMs }: DraftHead): boolean => atMs > nowMs() - KEPT_MS;

  const removeOne = async (head: Pick<DraftHead, 'who' | 'flow'>): Promise<void> => {
    await store.remove('draft', keyOf(head));
    await store.remove('draft_text', keyOf(head));
  };
  const removeAll = async (heads: readonly DraftHead[]): Promise<void> => {
    for (const head of heads) await removeOne(head);
  };

  return {
    of: (who) =>
      all()
        .filter((head) => head.who === who && isKept(head))
        .sort((one, other) => other.atMs - one.atMs),
    find(who, flow) {
      const key = keyOf({ who, flow });
      const head = store.find('draft', key) as unknown as DraftHead | undefined;
      const text = store.find('draft_text', key);
      if (head === undefined || typeof text !== 'string' || !isKept(head))
        throw new CallError('unknown_setting', `you have no draft of the flow ${flow}`);
      return { ...head, text };
    },
    async put({ who, flow, base, text }) {
      const bytes = Buffer.byteLength(text);
      if (bytes > MAX_BYTES)
        throw new CallError('text_too_large', `a draft can have at most ${MAX_BYTES} bytes, got ${bytes}`, {
          hint: 'save the flow, or save it as a candidate',
        });
      const heads = all();
      await removeAll(heads.filter((head) => !isKept(head)));
      const others = heads.filter((head) => isKept(head) && !(head.who === who && head.flow === flow));
      if (others.length >= MAX_DRAFTS || others.filter((head) => head.who === who).length >= MAX_DRAFTS_OF_PERSON)
        throw new CallError('list_full', 'too many drafts are kept', { hint: 'save or discard another draft' });
      const head: DraftHead = { flow, who, base, atMs: nowMs(), bytes };
      const key = keyOf(head);
      await store.put({ kind: 'draft_text', key, value: text });
      await store.put({ kind: 'draft', key, value: head as unknown as Json });
      return head;
    },
    remove: (who, flow) => removeOne({ who, flow }),
    removePerson: (who) => removeAll(all().filter((head) => head.who === who)),
    removeFlow: (flow) => removeAll(all().filter((head) => head.flow === flow)),
  };
}
