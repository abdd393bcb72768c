/** Text with a button that copies it. Browsers refuse that on pages without HTTPS: then the text is selected. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { isMac } from './commands.ts';
import { announce } from './messages.tsx';

interface CopyableProps {
  text: string;
  /** True if the button gets the initial focus of its dialog. */
  isFirst?: boolean;
}

const REFUSED = t('The browser does not allow copying. The text is selected: press {key} C.', {
  key: isMac ? '⌘' : 'Ctrl',
});

export function Copyable({ text, isFirst = false }: CopyableProps) {
  const isCopied = useSignal<boolean | undefined>(undefined);
  const words = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    getSelection()?.selectAllChildren(words.current!);
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = true;
      announce(t('Copied'));
    } catch {
      isCopied.value = false;
    }
  };
  return (
    <>
      <code ref={words}>{text}</code>
      <button type="button" class="button" data-first={isFirst ? '' : undefined} onClick={() => void copy()}>
        {isCopied.value ? t('Copied') : t('Copy')}
      </button>
      {isCopied.value === false && <small role="alert">{REFUSED}</small>}
    </>
  );
}
