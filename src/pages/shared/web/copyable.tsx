/** Text with a button that copies it. Browsers refuse that on pages without HTTPS: then the text is selected. */
import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { isMac } from './platform.ts';
import { t } from './words/translate.ts';

export interface CopyableProps {
  text: string;
  /** Label of the button for screen readers. Default: its text. */
  name?: string | undefined;
  /** True if the button gets the initial focus of its dialog. */
  isFirst?: boolean;
  /** Called after the text was copied, to announce it. */
  copied(): void;
}

const REFUSED = t('The browser does not allow copying. The text is selected: press {key} C.', {
  key: isMac ? '⌘' : 'Ctrl',
});

export function Copyable({ text, name, isFirst = false, copied }: CopyableProps) {
  const isCopied = useSignal<boolean | undefined>(undefined);
  const words = useRef<HTMLElement>(null);
  const copy = async (): Promise<void> => {
    getSelection()?.selectAllChildren(words.current!);
    try {
      await navigator.clipboard.writeText(text);
      isCopied.value = true;
      copied();
    } catch {
      isCopied.value = false;
    }
  };
  return (
    <>
      <code ref={words}>{text}</code>
      <button
        type="button"
        class="button"
        aria-label={name}
        data-first={isFirst ? '' : undefined}
        onClick={() => void copy()}
      >
        {isCopied.value ? t('Copied') : t('Copy')}
      </button>
      {isCopied.value === false && <small role="alert">{REFUSED}</small>}
    </>
  );
}
