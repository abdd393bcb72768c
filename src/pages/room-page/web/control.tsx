/** One button of the bar below the stage. */
import type { ComponentChildren } from 'preact';
import { Icon, type RoomIconName } from './icon.tsx';
import type { Shortcut } from './shortcuts.ts';

interface ControlProps {
  icon: RoomIconName;
  text: ComponentChildren;
  /** Label for screen readers; starts with the function of `text` or names it. */
  name: string;
  shortcut: Shortcut;
  isOn?: boolean;
  isOff?: boolean;
  isExpanded?: boolean;
  count?: number;
  /** Reason why it is disabled now. */
  adoptionObstacle?: string | undefined;
  run(): void;
}

export function Control({
  icon,
  text,
  name,
  shortcut,
  isOn,
  isOff,
  isExpanded,
  count = 0,
  adoptionObstacle: reason,
  run,
}: ControlProps) {
  const look = `${isOn ? 'on' : ''} ${isOff ? 'off' : ''} ${isExpanded ? 'on' : ''}`;
  return (
    <button
      type="button"
      class={`control ${look}`}
      aria-label={name}
      aria-keyshortcuts={shortcut}
      aria-expanded={isExpanded}
      aria-disabled={reason === undefined ? undefined : true}
      title={`${reason ?? name} (${shortcut})`}
      data-count={count > 99 ? '99+' : count || undefined}
      onClick={(event) => {
        // Otherwise Space would press the button again, and not let the participant talk.
        if (event.detail > 0 && isExpanded === undefined) event.currentTarget.blur();
        run();
      }}
    >
      <Icon name={icon} size={20} />
      <span>{text}</span>
    </button>
  );
}
