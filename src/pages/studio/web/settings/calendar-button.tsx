/** Opens the calendar of the browser. Dates are also typed in a field beside it. */
import './calendar-button.css';
import { useRef } from 'preact/hooks';
import { Icon } from '../icons.tsx';

interface CalendarButtonProps {
  label: string;
  /** Date that the calendar shows, `2026-12-25`. Empty: today. */
  shown?: string;
  choose(date: string): void;
}

export function CalendarButton({ label, shown = '', choose }: CalendarButtonProps) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <span class="date-picker">
      <button
        type="button"
        class="button quiet"
        aria-label={label}
        title={label}
        onClick={() => picker.current?.showPicker()}
      >
        <Icon name="calendar" />
      </button>
      <input
        ref={picker}
        type="date"
        tabIndex={-1}
        aria-hidden="true"
        value={shown}
        onChange={({ currentTarget: { value } }) => value !== '' && choose(value)}
      />
    </span>
  );
}
