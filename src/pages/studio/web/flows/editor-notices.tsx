/** Notices above the flow editor: a newer version of another person, and a draft of an earlier visit. */
import type { TextHandle } from '../text/text-handle.ts';
import type { EditorDraft } from './flow-draft.ts';
import { continueDraft, DraftOffer } from './found-draft.tsx';
import { loadNewer, NewerNotice, type NewerVersion } from './newer-version.tsx';

interface EditorNoticesProps {
  draft: EditorDraft;
  newer: NewerVersion | undefined;
  text: { readonly current: TextHandle | undefined };
}

export const EditorNotices = ({ draft, newer, text }: EditorNoticesProps) => (
  <div class="editor-notices">
    <NewerNotice newer={newer} load={() => loadNewer(draft, newer!, text.current!)} />
    <DraftOffer
      found={draft.kept.value}
      take={() => void continueDraft(draft, text.current!)}
      leave={() => draft.forgetKept()}
    />
  </div>
);
