/** Part of a form that can be closed. Its heading says what is inside. */
import type { ComponentChildren } from 'preact';
import { openFolds, toggleFold } from './folds.ts';

interface FoldProps {
  name: string;
  title: string;
  said: string;
  children: ComponentChildren;
}

export function Fold({ name, title, said, children }: FoldProps) {
  const isOpen = openFolds.value.has(name);
  return (
    <section class="form-section fold">
      <h3>
        <button type="button" class="fold-head" aria-expanded={isOpen} onClick={() => toggleFold(name)}>
          {title} <span>{said}</span>
        </button>
      </h3>
      {isOpen && <div class="fold-body">{children}</div>}
    </section>
  );
}
