/**
 * Saves of other people while a flow is open: a notice with the author and the changed steps, and the merge with the
 * text in the editor. `people/people-store.ts` reports the saves.
 */
import { effect, type Signal } from '@preact/signals';
import type { GraphLanguage } from '../../../../language/flow/graph.ts';
import { listText, t } from '../../../shared/web/words/translate.ts';
import { readFlow, type Theirs } from '../flow-api.ts';
import type { LatestSave } from '../people/people-api.ts';
import { ownName, saves } from '../people/people-store.ts';
import { withPlainEnds } from '../text/line-ends.ts';
import type { TextHandle } from '../text/text-handle.ts';
import { mergeBySteps } from '../versions/merge-steps.ts';
import { diffTexts } from '../versions/version-diff.ts';
import type { EditorDraft } from './flow-draft.ts';

export interface NewerVersion extends Theirs {
  who: string;
  /** Number of the version. Undefined for a draft with errors. */
  number: number | undefined;
  /** Number of steps and other keys that differ from the base of the editor, in words. */
  changes: string;
}

/** Sets `newer` while the saved flow is not the base of the editor. Returns a function that ends this. */
export function followSaves(
  draft: EditorDraft,
  newer: Signal<NewerVersion | undefined>,
  verbs: GraphLanguage,
): () => void {
  let isOver = false;
  const end = effect(() => {
    const save = saves.value.get(draft.name);
    const { etag } = draft.file.value;
    // The answer to a save of this tab can arrive after its event.
    if (save === undefined || draft.isSaving.value) return;
    if (save.etag === etag) newer.value = undefined;
    else if (save.etag !== newer.peek()?.etag) void look(save);
  });
  const look = async ({ who, etag, version_number: number }: LatestSave): Promise<void> => {
    const file = await readFlow(draft.name).catch(() => undefined);
    const base = draft.file.peek();
    if (isOver || file === undefined || file.etag === base.etag) return;
    const changes = changesIn(withPlainEnds(base.text), withPlainEnds(file.text), verbs);
    newer.value = { text: file.text, etag: file.etag, who, number: file.etag === etag ? number : undefined, changes };
  };
  return () => {
    isOver = true;
    end();
  };
}

export function changesIn(before: string, after: string, verbs: GraphLanguage): string {
  const { steps, heads } = diffTexts(before, after, verbs);
  if (steps.length > 0) return t('{count, plural, one {# step} other {# steps}} changed', { count: steps.length });
  return heads.length > 0 ? t('{heads} changed', { heads: listText(heads) }) : t('comments or layout changed');
}

/** Merges the newer version into the editor. For steps that both have changed, the dialog asks. */
export function loadNewer(draft: EditorDraft, newer: NewerVersion, text: TextHandle): void {
  const [base, mine, theirs] = [withPlainEnds(draft.file.peek().text), draft.text.peek(), withPlainEnds(newer.text)];
  const merged = mergeBySteps({ base, mine, theirs });
  if (merged.conflicts.length > 0) {
    draft.conflict.value = newer;
    return;
  }
  draft.acceptTheirs(newer);
  if (merged.text !== text.text) text.change([{ from: 0, to: text.text.length, insert: merged.text }], 'merge');
}

/** Name of the person who saved this version. Undefined if it is not known. */
export function authorOf(flow: string, etag: string): string | undefined {
  const save = saves.value.get(flow);
  if (save?.etag !== etag) return undefined;
  return save.who === ownName() ? t('You') : save.who;
}

function savedWords({ who, number }: NewerVersion): string {
  if (who === ownName()) {
    return number === undefined
      ? t('You saved this flow in another tab')
      : t('You saved version {number} in another tab', { number });
  }
  return number === undefined
    ? t('{who} saved this flow', { who })
    : t('{who} saved version {number}', { who, number });
}

export function NewerNotice({ newer, load }: { newer: NewerVersion | undefined; load(): void }) {
  if (newer === undefined) return null;
  const { changes } = newer;
  return (
    <div class="kept" role="status">
      <span>
        {savedWords(newer)}: {changes}
      </span>
      <button type="button" class="button primary" onClick={load}>
        {t('Load and merge')}
      </button>
    </div>
  );
}
