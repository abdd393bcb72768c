/**
 * Focus of the cards of a graph. An act names the card that gets the focus; the canvas says when cards were drawn.
 *
 * Invariants
 * - The focus moves once for an act: at the act, or with the drawing that has the card.
 * - It is never taken from a place outside of the graph, except from the question that the act has answered.
 * - The graph, or the outline, keeps the focus if the focused card or item disappears.
 */

/** Places above the graph that give the focus back to it: dialogs, and the strip that asks about a deletion. */
const QUESTION = 'dialog, .act-strip';

export interface FocusTargets {
  /** Element around the picture. Null while nothing is shown. */
  box(): HTMLElement | null;
  /** Name of the card that stands for a step, which can be in a folded group. Undefined if it is not drawn. */
  cardOf(step: string): string | undefined;
  /** Name of the card that Tab reaches. */
  tabStop(): string | undefined;
}

/** Card by the name of its step, or by the id of an inner step. */
interface Wanted {
  by: 'step' | 'inner';
  name: string;
  /** Question that had the focus at the act. */
  question: Element | null;
}

export class CardFocus {
  readonly #targets: FocusTargets;
  /** Card that an act has named, until it has the focus. */
  #wanted: Wanted | undefined;
  #isOnItem = false;

  constructor(targets: FocusTargets) {
    this.#targets = targets;
  }

  /** Follows the focus of the page. Returns a function that ends it. */
  attach(): () => void {
    const moved = (): void => this.#moved();
    document.addEventListener('focusin', moved);
    return () => document.removeEventListener('focusin', moved);
  }

  /** Focuses a card, as soon as it is drawn. */
  go(name: string, by: Wanted['by'] = 'step'): void {
    this.#wanted = { by, name, question: document.activeElement?.closest(QUESTION) ?? null };
    this.drawn();
  }

  /** A step was selected, perhaps elsewhere: its card gets the focus if the graph or a question above it has it. */
  follow(step: string | undefined): void {
    const place = document.activeElement;
    if (step !== undefined && (this.#isInGraph(place) || place?.closest(QUESTION))) this.go(step);
    else this.#wanted = undefined;
  }

  /** Called after each drawing. */
  drawn(): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    // Behind a modal dialog nothing can be focused: the card gets the focus when the dialog gives it back.
    if (wanted !== undefined && !this.#focus(wanted.name, wanted.by)) this.#wanted = wanted;
    if (this.#isOnItem && document.activeElement === document.body) this.#keep();
  }

  /** The focused card, or the item of the outline, has disappeared. */
  #keep(): void {
    const next = this.#targets.tabStop();
    if (next !== undefined && this.#focus(next, 'step')) return;
    this.#targets.box()?.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus({ preventScroll: true });
  }

  #focus(name: string, by: Wanted['by']): boolean {
    const shown = by === 'step' ? this.#targets.cardOf(name) : name;
    const cards = this.#targets.box()?.querySelectorAll<HTMLElement>(`[data-${by}]`) ?? [];
    const card = [...cards].find((each) => each.dataset[by] === shown);
    card?.focus({ preventScroll: true });
    return card !== undefined && document.activeElement === card;
  }

  #moved(): void {
    const place = document.activeElement;
    this.#isOnItem = this.#isInGraph(place) && place!.closest('[data-step], [role=treeitem]') !== null;
    const wanted = this.#wanted;
    if (wanted === undefined) return;
    if (this.#isInGraph(place)) this.drawn();
    else if (wanted.question === null || place?.closest(QUESTION) !== wanted.question) this.#wanted = undefined;
  }

  #isInGraph(place: Element | null): boolean {
    const box = this.#targets.box();
    if (box === null || place === null) return false;
    return (
      place === box.closest('[data-pane]') || (box.contains(place) && place.closest('[role=toolbar], search') === null)
    );
  }
}
