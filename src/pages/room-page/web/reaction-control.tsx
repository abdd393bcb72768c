/** Button that opens the reactions, and the reactions above it. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../shared/web/words/translate.ts';
import { Control } from './control.tsx';
import { say } from './meeting.ts';
import { type Emoji, REACTIONS } from './reactions.ts';
import { isReacting } from './screen-state.ts';

export function ReactionControl() {
  const area = useRef<HTMLDivElement>(null);
  const isOpen = isReacting.value;
  const close = (): void => {
    isReacting.value = false;
    area.current?.querySelector<HTMLElement>('.control')?.focus();
  };
  // In a layout effect, so that the next key press goes to the reactions.
  useLayoutEffect(() => {
    if (!isOpen) return;
    area.current?.querySelector<HTMLElement>('.reactions button')?.focus();
    const pointed = ({ target }: PointerEvent): void => {
      if (!area.current?.contains(target as Node)) isReacting.value = false;
    };
    const pressed = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') close();
    };
    addEventListener('pointerdown', pointed);
    addEventListener('keydown', pressed);
    return () => {
      removeEventListener('pointerdown', pointed);
      removeEventListener('keydown', pressed);
    };
  }, [isOpen]);
  return (
    <div class="reaction-area" ref={area}>
      <Control
        icon="reaction"
        text={t('React')}
        name="React"
        shortcut="e"
        isExpanded={isOpen}
        run={() => {
          isReacting.value = !isOpen;
        }}
      />
      {isOpen && (
        <fieldset class="reactions" aria-label={t('Reactions')}>
          {Object.entries(REACTIONS).map(([emoji, name]) => (
            <button
              key={emoji}
              type="button"
              aria-label={name}
              title={name}
              onClick={() => {
                say({ type: 'reaction', emoji: emoji as Emoji });
                close();
              }}
            >
              {emoji}
            </button>
          ))}
        </fieldset>
      )}
    </div>
  );
}
