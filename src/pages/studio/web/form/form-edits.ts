/**
 * Edits of the forms. All of them are transactions of the text editor: characters typed during one visit to a field are
 * one undo step, every other act is one of its own.
 */
import type { Json, JsonObject } from '../../../../base/core/json.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { type EditRefusal, type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText, type Path } from '../../../../language/flow/text/flow-source.ts';
import { type Language, verbOf } from '../../../../language/flow/text/language.ts';
import { rewriteSource } from '../../../../language/flow/text/rewrite.ts';
import { argumentChanges, valueChanges } from '../../../../language/flow/text/set-argument.ts';
import { announce, tell } from '../shell/messages.tsx';
import { declarationsOf } from '../text/declarations.ts';
import type { TextHandle } from '../text/text-handle.ts';
import type { FormDraft } from './form-draft.ts';

export interface FormEditsParts {
  draft: FormDraft;
  language: Language;
  text: { readonly current: TextHandle | undefined };
}

export class FormEdits {
  readonly #parts: FormEditsParts;
  /** Field that is visited, and the text after its last edit. */
  #visit: { field: string; after: string } | undefined;

  constructor(parts: FormEditsParts) {
    this.#parts = parts;
  }

  /** Ends the visit to a field. */
  leave(): void {
    this.#visit = undefined;
  }

  /** `field`: the field in which the characters are typed. Returns the reason if the edit is refused. */
  apply(edits: Edits, title: string, field?: string): string | undefined {
    if (isRefusal(edits)) return this.#refused(edits, field);
    if (edits.length === 0) return undefined;
    const { draft, text } = this.#parts;
    const joins = field !== undefined && this.#visit?.field === field && this.#visit.after === draft.text.peek();
    text.current?.change(edits, title, joins);
    this.#visit = field === undefined ? undefined : { field, after: draft.text.peek() };
    if (field === undefined) announce(title);
    return undefined;
  }

  /** A field shows the reason below itself; a button has no place for it. */
  #refused(refusal: EditRefusal, field: string | undefined): string {
    const { refused, hint } = refusal;
    const sentence = hint === undefined ? refused : `${refused}: ${hint}`;
    if (field === undefined) tell(sentence, true);
    return sentence;
  }

  change(changesOf: (flow: JsonObject) => Change[] | EditRefusal, title: string, field?: string): string | undefined {
    const source = openText(this.#parts.draft.text.peek());
    if (isRefusal(source)) return this.#refused(source, field);
    const changes = changesOf(source.value);
    return this.apply(isRefusal(changes) ? changes : rewriteSource(source, changes), title, field);
  }

  /** Sets a value of a step, or of the flow itself. Undefined clears it. A variable that is assigned first is declared. */
  set(at: ValueOfStep): string | undefined {
    const { step, path, value, written, title, field } = at;
    const to = { step, path, value, ...(written === undefined ? {} : { written }) };
    return this.change(
      (flow) => {
        if (step === '') return valueChanges(flow, to, this.#parts.language);
        const changes = argumentChanges(flow, to, this.#parts.language);
        if (isRefusal(changes) || value === undefined) return changes;
        return [...this.declarations(flow, path, value), ...changes];
      },
      title,
      field,
    );
  }

  /** Declarations that an assignment at a path needs. */
  declarations(flow: JsonObject, [name, variable, ...deeper]: Path, value: Json): Change[] {
    const isAssignment = verbOf(this.#parts.language, name)?.form === 'assignments';
    if (!isAssignment || variable === undefined || deeper.length > 0) return [];
    return declarationsOf(flow, { [variable]: value });
  }
}

export interface ValueOfStep {
  /** Empty for a value of the flow itself. */
  step: string;
  /** Path below the step; without a step, the path in the flow. */
  path: Path;
  value: Json | undefined;
  written?: string | undefined;
  title: string;
  field?: string | undefined;
}
