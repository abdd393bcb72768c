/** Running search for steps in a picture: the query, its hits, and the hit that is shown. */
import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import type { FoundSteps } from './step-query.ts';

export class SearchState {
  /** Undefined while nothing is searched. */
  readonly query = signal<string | undefined>(undefined);
  /** Index of the hit that was gone to. -1 before the first. */
  readonly at = signal(-1);
  readonly #find = signal<(query: string) => FoundSteps>(() => ({ steps: [] }));
  readonly found: ReadonlySignal<FoundSteps | undefined> = computed(() => {
    const query = this.query.value?.trim() ?? '';
    return query === '' ? undefined : this.#find.value(query);
  });
  readonly steps: ReadonlySignal<readonly string[]> = computed(() => {
    const found = this.found.value;
    return found !== undefined && 'steps' in found ? found.steps : [];
  });
  /** Steps that are not dimmed. Undefined if none is. */
  readonly hits: ReadonlySignal<ReadonlySet<string> | undefined> = computed(() => {
    const found = this.found.value;
    return found !== undefined && 'steps' in found ? new Set(found.steps) : undefined;
  });

  /** Sets how steps are found. Called when the flow has changed. */
  use(find: (query: string) => FoundSteps): void {
    this.#find.value = find;
  }

  begin(): void {
    this.query.value ??= '';
  }

  type(query: string): void {
    batch(() => {
      this.query.value = query;
      this.at.value = -1;
    });
  }

  end(): void {
    batch(() => {
      this.query.value = undefined;
      this.at.value = -1;
    });
  }

  /** The next hit, or the one before; after the last comes the first. Undefined if there is none. */
  next(by: 1 | -1): string | undefined {
    const { length } = this.steps.peek();
    if (length === 0) return undefined;
    const at = this.at.peek();
    this.at.value = at < 0 ? (by > 0 ? 0 : length - 1) : (at + by + length) % length;
    return this.steps.peek()[this.at.peek()];
  }
}
