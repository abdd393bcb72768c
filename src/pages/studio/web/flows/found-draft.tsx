/** Unsaved text of an earlier visit, in this browser or another one: which is found, and how it is continued. */

import { t } from '../../../shared/web/words/translate.ts';
import { shortMomentOf } from '../call-rows/call-times.ts';
import { type FlowFile, readDraft } from '../flow-api.ts';
import { Icon } from '../icons.tsx';
import { ownName } from '../people/people-store.ts';
import type { TextHandle } from '../text/text-handle.ts';
import { listVersions, readVersion } from '../versions/version-api.ts';
import type { EditorDraft, FoundDraft } from './flow-draft.ts';
import { keptText } from './kept-texts.ts';

/** The later one of both places. `storedAt`: time of the draft on the service (ISO 8601), if there is one. */
export async function findDraft(flow: string, storedAt: string | undefined): Promise<FoundDraft | undefined> {
  const kept = await keptText(flow);
  const here = kept?.who === undefined || kept.who === ownName() ? kept : undefined;
  if (storedAt === undefined || (here !== undefined && here.atMs >= Date.parse(storedAt))) return here;
  const stored = await readDraft(flow).catch(() => undefined);
  return stored === undefined ? here : { text: stored.text, base: stored.base, atMs: Date.parse(stored.saved) };
}

/** Puts the draft into the editor, based on the version that it was written for. */
export async function continueDraft(draft: EditorDraft, handle: TextHandle): Promise<void> {
  const { text, base } = draft.kept.peek()!;
  const file = draft.file.peek();
  if (base !== undefined && base !== file.etag) draft.file.value = await fileAt(file, base);
  handle.change([{ from: 0, to: handle.text.length, insert: text }], t('restore unsaved changes'));
  draft.kept.value = undefined;
}

/** With the etag of the base, a save finds that the flow has changed since, and merges. */
async function fileAt(file: FlowFile, etag: string): Promise<FlowFile> {
  const version = (await listVersions(file.name).catch(() => [])).find((each) => each.etag === etag);
  const found = version && (await readVersion(file.name, version.hash).catch(() => undefined));
  return { ...file, etag, text: found ?? file.text };
}

interface DraftOfferProps {
  found: FoundDraft | undefined;
  take(): void;
  leave(): void;
}

export function DraftOffer({ found, take, leave }: DraftOfferProps) {
  if (found === undefined) return null;
  return (
    <div class="kept" role="alert">
      <Icon name="restore" />
      <button type="button" class="button primary" onClick={take}>
        {t('Continue your draft of {time}', { time: shortMomentOf(found.atMs) })}
      </button>
      <button type="button" class="button" onClick={leave}>
        {t('Discard')}
      </button>
    </div>
  );
}
