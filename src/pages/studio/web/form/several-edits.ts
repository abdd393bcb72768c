/** Edits of the form of several steps: a value is set at all of them, as one undo step. */
import type { Change } from '../../../../language/flow/text/change.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { argumentChanges } from '../../../../language/flow/text/set-argument.ts';
import { FormEdits, type FormEditsParts, type ValueOfStep } from './form-edits.ts';

export class SeveralEdits extends FormEdits {
  readonly #language: FormEditsParts['language'];
  /** Steps of the selection. */
  steps: readonly string[] = [];

  constructor(parts: FormEditsParts) {
    super(parts);
    this.#language = parts.language;
  }

  override set({ step, title, field, ...value }: ValueOfStep): string | undefined {
    const { steps } = this;
    return this.change(
      (flow) => {
        const changes: Change[] = [];
        for (const each of steps) {
          const found = argumentChanges(flow, { ...value, step: each }, this.#language);
          if (isRefusal(found)) return found;
          changes.push(...found);
        }
        return changes;
      },
      title.replace(` of ${step}`, ` of ${steps.length} steps`),
      field,
    );
  }
}
