/**
 * The call that is open and the moment shown: state shared by all parts of the call page. Used by the pure modules here
 * and in `../journal`, by `call-detail.tsx` and by `player.ts`.
 *
 * Invariants
 * - the view of a moment is computed from the journal up to the entry of that moment;
 * - if the end of a live call is shown, the view follows new entries.
 */
import { batch, computed, signal } from '@preact/signals';
import { callerActsOf } from '../journal/acts.ts';
import { beginOf, type Entry, lengthOf } from '../journal/entries.ts';
import { outsideOf } from '../journal/outside.ts';
import type { VisitedPath } from '../journal/path.ts';
import { soundsOf } from '../journal/sounds.ts';
import { framesAt } from '../journal/variables.ts';
import { visitsOf } from '../journal/visits.ts';
import type { JournalLane } from '../journal/words.ts';
import { loadedLanguage } from '../text/load-language.ts';
import { PathIndex } from './path-index.ts';
import { recordingsOf } from './recordings.ts';
import { silentGapsOf } from './silent-gaps.ts';
import { entryAt, LANES, type StoryLine, stepFrom, storyOf } from './story.ts';
import { foldsOf } from './timeline.ts';

export class CallPath {
  readonly journal = signal<readonly Entry[]>([]);
  /** Index of the current entry in the journal. */
  readonly index = signal(0);
  /** Current time since the start of the call, in ms. */
  readonly atMs = signal(0);
  readonly hiddenLanes = signal<ReadonlySet<JournalLane>>(new Set(['inside']));

  readonly lengthMs = computed(() => lengthOf(this.journal.value));
  readonly story = computed(() => storyOf(this.journal.value));
  readonly lines = computed(() => {
    const hidden = this.hiddenLanes.value;
    return this.story.value.filter(({ lane }) => !hidden.has(lane));
  });
  readonly visits = computed(() => visitsOf(this.journal.value));
  readonly sounds = computed(() => soundsOf(this.journal.value).filter(({ leg }) => leg === undefined));
  readonly recordings = computed(() => recordingsOf(this.journal.value));
  readonly acts = computed(() => callerActsOf(this.journal.value));
  readonly gaps = computed(() =>
    silentGapsOf(this.journal.value, this.visits.value, this.lengthMs.value, loadedLanguage.value?.verbs),
  );
  readonly outside = computed(() => outsideOf(this.journal.value));
  readonly folds = computed(() => {
    const begin = beginOf(this.journal.value);
    return foldsOf(
      this.journal.value.map(({ atMs }) => atMs - begin),
      this.lengthMs.value,
    );
  });
  readonly paths = computed(() => new PathIndex(this.journal.value));
  readonly flow = computed(() => this.paths.value.flowAt(this.index.value));
  /** Story line of the current moment: the last one at or before it. */
  readonly lineAt = computed(() => {
    const lines = this.lines.value;
    const { value: index } = this.index;
    return lines.findLastIndex((line) => line.index <= index);
  });
  readonly frames = computed(() => framesAt(this.journal.value, this.journal.value[this.index.value]?.seq));

  path(flow: string): VisitedPath {
    return this.paths.value.at(this.index.value, flow);
  }

  get isAtEnd(): boolean {
    return this.index.peek() >= this.journal.peek().length - 1;
  }

  /** Appends journal entries in order. Known entries are skipped. */
  append(entries: readonly Entry[]): void {
    const known = this.journal.peek();
    const lastSeq = known.at(-1)?.seq ?? 0;
    const added = entries.filter(({ seq }) => seq > lastSeq);
    if (added.length === 0) return;
    const follows = this.isAtEnd;
    batch(() => {
      this.journal.value = [...known, ...added];
      if (follows) this.toIndex(this.journal.value.length - 1);
    });
  }

  toIndex(index: number): void {
    const journal = this.journal.peek();
    const entry = journal[Math.max(0, Math.min(journal.length - 1, index))];
    if (entry === undefined) return;
    batch(() => {
      this.index.value = journal.indexOf(entry);
      this.atMs.value = entry.atMs - beginOf(journal);
    });
  }

  /** Goes to a time; the entry is the last one at or before it. */
  toMs(ms: number): void {
    const atMs = Math.max(0, Math.min(this.lengthMs.peek(), ms));
    batch(() => {
      this.atMs.value = atMs;
      this.index.value = entryAt(this.journal.peek(), atMs);
    });
  }

  toSeq(seq: number): void {
    this.toIndex(this.journal.peek().findIndex((entry) => entry.seq === seq));
  }

  /** Moves by one story line or one step, forward or back. */
  step(by: 1 | -1, toStep: boolean): StoryLine | undefined {
    const line = stepFrom(this.lines.peek(), this.index.peek(), by, toStep);
    if (line !== undefined) this.toIndex(line.index);
    return line;
  }

  toggleLane(lane: JournalLane): void {
    const hidden = new Set(this.hiddenLanes.peek());
    if (!hidden.delete(lane)) hidden.add(lane);
    if (hidden.size < LANES.length) this.hiddenLanes.value = hidden;
  }
}
