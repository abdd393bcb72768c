/** State and functions that commands and graph edits of the flow editor share. */
import type { Signal } from '@preact/signals';
import type { Language } from '../../../../language/flow/text/language.ts';
import type { Range } from '../../../../language/flow/text/text-edits.ts';
import type { AddRequest } from '../picker/choice.ts';
import type { TextHandle } from '../text/text-handle.ts';
import type { DeletionChoice } from './deletion-choice.ts';
import type { EditorDraft } from './flow-draft.ts';
import type { Asked } from './flow-question.tsx';

export interface EditorParts {
  draft: EditorDraft;
  language: Language;
  text: { readonly current: TextHandle | undefined };
  cursor: Signal<number>;
  asked: Signal<Asked | undefined>;
  /** Place of the step that is being added. */
  adding: Signal<AddRequest | undefined>;
  /** Steps that are being deleted, while the new target of the routes to them is chosen. */
  deleting: Signal<DeletionChoice | undefined>;
  /** Steps that are extracted as a local flow. */
  extracting: Signal<readonly string[] | undefined>;
  save(isDraft?: boolean): Promise<void>;
  /** Saves the text as a candidate: a version that is not live. */
  keep(): Promise<void>;
  goTo(range: Range): void;
}
