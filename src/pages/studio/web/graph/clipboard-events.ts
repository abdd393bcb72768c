/** Copy, cut and paste in the picture and in the outline of a flow. */

import { t } from '../../../shared/web/words/translate.ts';
import { flowInSvg } from './export-svg.ts';
import type { ClipboardTargets } from './key-targets.ts';

interface ClipboardHandlers {
  onCopy(event: ClipboardEvent): void;
  onCut(event: ClipboardEvent): void;
  onPaste(event: ClipboardEvent): void;
}

/** Handlers for the element around the picture. A paste goes into the selected line, or after the selected step. */
export function clipboardHandlers(targets: () => ClipboardTargets): ClipboardHandlers {
  const take = (event: ClipboardEvent, act: 'onCopy' | 'onCut', done: string): void => {
    const { selected, several, shown, state, callbacks } = targets();
    const step = selected.value ?? shown.start ?? shown.steps[0]?.name;
    const chosen = several?.steps.value.size ? several.names : step === undefined ? [] : [step];
    const text = chosen.length === 0 ? undefined : callbacks[act]?.(chosen);
    if (text === undefined) return;
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
    state.said.value = `${chosen.length === 1 ? chosen[0] : t('{count, plural, one {# step} other {# steps}}', { count: chosen.length })} ${done}`;
  };
  return {
    onCopy: (event) => take(event, 'onCopy', 'copied'),
    onCut: (event) => take(event, 'onCut', 'cut'),
    onPaste(event) {
      const { selected, state, callbacks } = targets();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (text === '' || callbacks.onPaste === undefined) return;
      event.preventDefault();
      callbacks.onPaste(flowInSvg(text) ?? text, state.line.value ?? selected.value);
    },
  };
}
