/**
 * State of a flow in the editor: its text, the saved version, diagnostics and graph. The text editor owns the text and
 * reports every change; all other state is derived. `flow-editor.tsx` shows it; requests are in `flow-api.ts`.
 *
 * Invariants
 * - unsaved text is kept in the browser with every change, until it is saved or the author discards it;
 * - diagnostics apply only to the text that was checked;
 * - a save names the version that it is based on, so that no other version is overwritten unseen.
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Diagnostic } from '../../../../base/core/diagnostic.ts';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { ExtractedIn } from '../../../../language/flow/text/extract-in-test.ts';
import { GraphSource, type TypedGraph } from '../../../../language/flow/text/graph-source.ts';
import type { InlinedIn } from '../../../../language/flow/text/inline-in-test.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import type { NamesInFlow } from '../../../../language/flow/text/names.ts';
import { NamesSource } from '../../../../language/flow/text/names-source.ts';
import { type Problem, problemsOf } from '../../../../language/flow/text/problems.ts';
import { scanText } from '../../../../language/flow/text/scanned-text.ts';
import { ServiceError } from '../api.ts';
import {
  checkFlow,
  conflictIn,
  diagnosticsIn,
  type FlowFile,
  type OtherSave,
  removeDraft,
  type Theirs,
  writeFlow,
  writeTogether,
} from '../flow-api.ts';
import { Several } from '../graph/several.ts';
import { ownName, recordSave } from '../people/people-store.ts';
import { isDefinedIn, lastingRenames, type Renamed } from '../renames/renamed.ts';
import { isReader } from '../shell/session.ts';
import { withEndsOf, withPlainEnds } from '../text/line-ends.ts';
import { keepVersion } from '../versions/version-api.ts';
import { FoundProblems } from './found-problems.ts';
import { forgetText, keepText } from './kept-texts.ts';

/** Delay of the check after the last key. */
const CHECK_AFTER_MS = 150;
/** Delay of the check after a response 429 or 503, or after none. */
const CHECK_AGAIN_MS = 1500;
const TOO_BUSY: readonly number[] = [429, 503];
/** Status of a request without an answer. */
const NO_ANSWER = 0;

const isTemporary = ({ status }: ServiceError): boolean => status === NO_ANSWER || TOO_BUSY.includes(status);

export interface SavedCandidate {
  text: string;
  hash: string;
}

/** Unsaved text of an earlier visit. */
export interface FoundDraft {
  text: string;
  /** Time of the last change. */
  atMs: number;
  /** `ETag` of the saved text that it is based on, if known. */
  base?: string | undefined;
}

/** Place of the unsaved text. `this browser only`: the service does not accept it, because it is too large. */
export type DraftPlace = { is: 'this browser' | 'this browser only' } | { is: 'service'; atMs: number };

export type Saved = 'saved' | 'conflict' | 'has errors' | 'nothing';

export class EditorDraft {
  readonly name: string;
  readonly isLocked: boolean;
  readonly text: Signal<string>;
  readonly selected = signal<string | undefined>(undefined);
  readonly several = new Several(this.selected);
  readonly isChanged: ReadonlySignal<boolean>;
  /** Candidate saved next to the live version. */
  readonly candidate = signal<SavedCandidate | undefined>(undefined);
  /** True if the text is saved neither as a flow nor as a candidate, and would be lost. */
  readonly isUnsaved: ReadonlySignal<boolean>;
  readonly names: ReadonlySignal<NamesInFlow>;
  readonly typed: ReadonlySignal<TypedGraph>;
  readonly found = new FoundProblems();
  readonly problems: ReadonlySignal<readonly Problem[]> = this.found.shown;
  readonly isChecking = signal(false);
  readonly checkedMs = signal<number | undefined>(undefined);
  readonly isSaving = signal(false);
  readonly conflict = signal<Theirs | undefined>(undefined);
  /** Unsaved text of an earlier visit. */
  readonly kept: Signal<FoundDraft | undefined>;
  /** Place of the unsaved text. `draft-sync.ts` sets it. */
  readonly place = signal<DraftPlace>({ is: 'this browser' });
  readonly file: Signal<FlowFile>;
  /** Renames since the last save. */
  readonly renames: Renamed[] = [];
  /** Steps extracted as local flows since the last save. */
  readonly extractions: ExtractedIn[] = [];
  /** Local flows whose steps have taken the place of a step since the last save. */
  readonly inlinings: InlinedIn[] = [];
  readonly #session = crypto.randomUUID();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #check: AbortController | undefined;

  /** `kept`: unsaved text of an earlier visit. */
  constructor(file: FlowFile, language: Language, kept?: FoundDraft) {
    this.name = file.name;
    this.isLocked = file.built_in || isReader();
    this.file = signal(file);
    const text = withPlainEnds(file.text);
    this.text = signal(text);
    this.isChanged = computed(() => this.text.value !== withPlainEnds(this.file.value.text));
    this.isUnsaved = computed(() => this.isChanged.value && this.text.value !== this.candidate.value?.text);
    const namesSource = new NamesSource(language.verbs);
    this.names = computed(() => namesSource.read(scanText(this.text.value)));
    const source = new GraphSource({ verbs: language.verbs });
    this.typed = computed(() => source.read(this.text.value));
    this.kept = signal(kept?.text === text ? undefined : kept);
    if (kept?.text === text) {
      void forgetText(file.name);
      void removeDraft(file.name).catch(() => undefined);
    }
    this.#take(text, file.diagnostics);
  }

  /** Renames that the next save contains. */
  get lastingRenames(): Renamed[] {
    const { words } = this.names.value;
    return lastingRenames(this.renames, (name) => isDefinedIn(words, name));
  }

  /** Renames of steps that the next save contains. */
  get renamedSteps(): { from: string; to: string }[] {
    return this.lastingRenames.flatMap(({ kind, from, to, within }) =>
      kind === 'step' && within === undefined ? { from, to } : [],
    );
  }

  get graph(): FlowGraph {
    return this.typed.value.graph;
  }

  /** Called when the text in the editor has changed. */
  typedText(text: string): void {
    this.found.move(this.text.value, text);
    this.text.value = text;
    if (this.isUnsaved.value)
      void keepText({ name: this.name, text, atMs: Date.now(), base: this.file.value.etag, who: ownName() });
    else void forgetText(this.name);
    this.checkSoon();
  }

  checkSoon(afterMs = CHECK_AFTER_MS): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), afterMs);
  }

  async check(): Promise<void> {
    this.#check?.abort();
    const check = new AbortController();
    this.#check = check;
    const text = this.text.value;
    const startedMs = performance.now();
    this.isChecking.value = true;
    try {
      const { diagnostics } = await checkFlow(this.name, text, this.#session, check.signal);
      if (this.#check !== check || this.text.value !== text) return;
      this.#take(text, diagnostics);
      this.checkedMs.value = Math.round(performance.now() - startedMs);
    } catch (error) {
      if (check.signal.aborted) return;
      if (!(error instanceof ServiceError)) throw error;
      // A cancelled check needs no retry, because a newer one is running.
      if (this.#check === check && isTemporary(error)) this.checkSoon(CHECK_AGAIN_MS);
    } finally {
      if (this.#check === check) this.isChecking.value = false;
    }
  }

  #take(text: string, diagnostics: readonly Diagnostic[]): void {
    this.found.take(problemsOf(text, diagnostics, this.names.value));
  }

  /** `others`: files that follow this text, which are saved with it or not at all. */
  save(isDraft = false, others: readonly OtherSave[] = []): Promise<Saved> {
    return this.#send(async (text) => {
      const { text: before, etag } = this.file.value;
      const options = { isDraft, renamed: this.renamedSteps };
      const written = withEndsOf(before, text);
      const file =
        others.length === 0
          ? await writeFlow(this.name, written, etag, options)
          : await writeTogether(this.file.value, { text: written, ...options }, others);
      batch(() => {
        recordSave({ flow: this.name, who: ownName() ?? '', etag: file.etag, at: new Date().toISOString() });
        this.file.value = file;
        this.conflict.value = undefined;
        if (this.text.value === text) this.#take(text, file.diagnostics);
      });
    });
  }

  /**
   * Saves the text as a candidate; new calls still use the live version. Returns `nothing` if it differs from the live
   * version only in comments and layout, which versions do not contain.
   */
  async keep(): Promise<Saved> {
    let isNew = false;
    const kept = await this.#send(async (text) => {
      const { hash, in_force } = await keepVersion(this.name, withEndsOf(this.file.value.text, text));
      isNew = in_force !== true;
      if (isNew) this.candidate.value = { text, hash };
    });
    return kept === 'saved' && !isNew ? 'nothing' : kept;
  }

  async #send(work: (text: string) => Promise<void>): Promise<Saved> {
    if (this.isLocked || this.isSaving.value) return 'nothing';
    const text = this.text.value;
    this.isSaving.value = true;
    try {
      await work(text);
      if (!this.isUnsaved.value) void forgetText(this.name);
      return 'saved';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const theirs = conflictIn(error, this.name);
      const diagnostics = diagnosticsIn(error, this.name);
      if (theirs !== undefined) this.conflict.value = theirs;
      else if (diagnostics !== undefined) this.#take(text, diagnostics);
      else throw error;
      return theirs === undefined ? 'has errors' : 'conflict';
    } finally {
      this.isSaving.value = false;
    }
  }

  /**
   * Bases the text on the other user's version, so that the next save replaces it. The editor contains the merged text.
   */
  acceptTheirs({ text, etag }: Theirs): void {
    batch(() => {
      this.file.value = { ...this.file.value, text, etag };
      this.conflict.value = undefined;
    });
    this.checkSoon();
  }

  forgetKept(): void {
    this.kept.value = undefined;
    if (!this.isChanged.value) void forgetText(this.name);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#check?.abort();
  }
}
