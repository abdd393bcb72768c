/** Space, held down, switches a muted microphone on until it is released. */
import { adoptionObstacle, toggle } from './meeting.ts';
import { microphone } from './own-media.ts';
import { isDialogOpen } from './screen-state.ts';

/** Elements that use Space themselves. */
const USES_SPACE = 'button, a, input, select, textarea, summary, video, [contenteditable], [tabindex]';

/** Returns a function that ends it. */
export function listenToSpace(): () => void {
  let isHeld = false;
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== ' ' || event.ctrlKey || event.altKey || event.metaKey) return;
    if (isHeld) event.preventDefault();
    if (event.repeat || isHeld || isDialogOpen()) return;
    if ((event.target as Element).closest(USES_SPACE)) return;
    if (microphone.peek().isOn || adoptionObstacle('audio') !== undefined) return;
    event.preventDefault();
    isHeld = true;
    void toggle('audio');
  };
  const release = (): void => {
    if (!isHeld) return;
    isHeld = false;
    if (microphone.peek().isOn) void toggle('audio');
  };
  const released = (event: KeyboardEvent): void => {
    if (event.key === ' ') release();
  };
  addEventListener('keydown', pressed);
  addEventListener('keyup', released);
  addEventListener('blur', release);
  return () => {
    release();
    removeEventListener('keydown', pressed);
    removeEventListener('keyup', released);
    removeEventListener('blur', release);
  };
}
