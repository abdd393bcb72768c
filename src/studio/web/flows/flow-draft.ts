/**
 * One flow that is being edited: its text, what was saved, what the check says, and the graph. The text editor owns the
 * characters and reports them; everything else follows from them. Neighbours: `flow-editor.tsx` draws it, `flow-api.ts`.
 *
 * Invariants
 *  - what is not saved is kept in the session's storage with every change, and only a save or its author takes it away;
 *  - an answer of the check counts only for the text that it was asked about;
 *  - a save names the version that it was made of, so that nobody's text is overwritten unseen.
 */
import { batch, computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { Diagnostic } from '../../../core/diagnostic.ts';
import type { FlowGraph } from '../../../flow/graph.ts';
import { GraphSource, type TypedGraph } from '../../../flow/text/graph-source.ts';
import type { Language } from '../../../flow/text/language.ts';
import { type FlowNames, namesIn } from '../../../flow/text/names.ts';
import { type Problem, problemsAfter, problemsOf } from '../../../flow/text/problems.ts';
import { ServiceError } from '../api.ts';
import { isReader } from '../shell/session.ts';
import { withEndsOf, withPlainEnds } from '../text/line-ends.ts';
import { keepVersion } from '../versions/version-api.ts';
import { checkFlow, conflictIn, diagnosticsIn, type FlowFile, type Theirs, writeFlow } from './flow-api.ts';
import type { Renamed } from './rename-in-tests.ts';

/** After the last key. */
const CHECK_AFTER_MS = 150;
/** Where too much was asked at once. */
const CHECK_AGAIN_MS = 1500;
const TOO_BUSY: readonly number[] = [429, 503];

export interface Candidate {
  text: string;
  hash: string;
}

export type Saved = 'saved' | 'conflict' | 'has errors' | 'nothing';

export class FlowDraft {
  readonly name: string;
  readonly isLocked: boolean;
  readonly text: Signal<string>;
  readonly selected = signal<string | undefined>(undefined);
  readonly isChanged: ReadonlySignal<boolean>;
  /** What was kept beside the text in force. */
  readonly candidate = signal<Candidate | undefined>(undefined);
  /** The text would be lost: it is neither saved nor kept. */
  readonly isLoose: ReadonlySignal<boolean>;
  readonly names: ReadonlySignal<FlowNames>;
  readonly typed: ReadonlySignal<TypedGraph>;
  readonly problems = signal<readonly Problem[]>([]);
  readonly isChecking = signal(false);
  readonly checkedMs = signal<number | undefined>(undefined);
  readonly isSaving = signal(false);
  readonly conflict = signal<Theirs | undefined>(undefined);
  /** Text of an earlier visit that was not saved. */
  readonly kept: Signal<string | undefined>;
  readonly file: Signal<FlowFile>;
  /** Steps that got other names since the last save. */
  readonly renames: Renamed[] = [];
  readonly #session = crypto.randomUUID();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #check: AbortController | undefined;

  constructor(file: FlowFile, language: Language) {
    this.name = file.name;
    this.isLocked = file.built_in || isReader();
    this.file = signal(file);
    const text = withPlainEnds(file.text);
    this.text = signal(text);
    this.isChanged = computed(() => this.text.value !== withPlainEnds(this.file.value.text));
    this.isLoose = computed(() => this.isChanged.value && this.text.value !== this.candidate.value?.text);
    this.names = computed(() => namesIn(this.text.value));
    const source = new GraphSource({ verbs: language.verbs });
    this.typed = computed(() => source.read(this.text.value));
    const kept = sessionStorage.getItem(this.#key) ?? undefined;
    this.kept = signal(kept === text ? undefined : kept);
    this.#take(text, file.diagnostics);
  }

  get graph(): FlowGraph {
    return this.typed.value.graph;
  }

  get #key(): string {
    return `unsaved flow ${this.name}`;
  }

  /** The editor has another text. */
  typedText(text: string): void {
    if (this.problems.value.length > 0) this.problems.value = problemsAfter(this.text.value, text, this.problems.value);
    this.text.value = text;
    if (this.isLoose.value) sessionStorage.setItem(this.#key, text);
    else sessionStorage.removeItem(this.#key);
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
      // One that was superseded has a newer one.
      if (this.#check === check && TOO_BUSY.includes(error.status)) this.checkSoon(CHECK_AGAIN_MS);
    } finally {
      if (this.#check === check) this.isChecking.value = false;
    }
  }

  #take(text: string, diagnostics: readonly Diagnostic[]): void {
    this.problems.value = problemsOf(text, diagnostics, this.names.value);
  }

  save(isDraft = false): Promise<Saved> {
    return this.#send(async (text) => {
      const { text: before, etag } = this.file.value;
      const file = await writeFlow(this.name, withEndsOf(before, text), etag, isDraft);
      batch(() => {
        this.file.value = file;
        this.conflict.value = undefined;
        if (this.text.value === text) this.#take(text, file.diagnostics);
      });
    });
  }

  /**
   * Keeps the text as a version that is not in force: new calls go on as before. `nothing`: it says what the one in force
   * says, and only remarks and layout differ, which a version does not keep.
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
      if (!this.isLoose.value) sessionStorage.removeItem(this.#key);
      return 'saved';
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const theirs = conflictIn(error);
      const diagnostics = diagnosticsIn(error);
      if (theirs !== undefined) this.conflict.value = theirs;
      else if (diagnostics !== undefined) this.#take(text, diagnostics);
      else throw error;
      return theirs === undefined ? 'has errors' : 'conflict';
    } finally {
      this.isSaving.value = false;
    }
  }

  /** The text is now made of theirs: the next save replaces it. The editor has what was merged. */
  takeTheirs({ text, etag }: Theirs): void {
    batch(() => {
      this.file.value = { ...this.file.value, text, etag };
      this.conflict.value = undefined;
    });
    this.checkSoon();
  }

  forgetKept(): void {
    this.kept.value = undefined;
    if (!this.isChanged.value) sessionStorage.removeItem(this.#key);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#check?.abort();
  }
}
