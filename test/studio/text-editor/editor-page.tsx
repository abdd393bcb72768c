/** The text editor alone, for tests in a browser. */
import '../../../src/pages/shared/web/theme.css';
import '../../../src/pages/studio/web/style.css';
import { render } from 'preact';
import type { Language } from '../../../src/language/flow/text/language.ts';
import { namesIn } from '../../../src/language/flow/text/names.ts';
import { BothTexts } from '../../../src/pages/studio/web/text/both-texts.tsx';
import { TextEditor } from '../../../src/pages/studio/web/text/editor.tsx';
import type { TextHandle } from '../../../src/pages/studio/web/text/text-handle.ts';

declare global {
  var editing: {
    handle: TextHandle | undefined;
    show(text: string, language: Language): void;
    compare(left: string, right: string): void;
    clear(): void;
  };
}

function show(text: string, language: Language): void {
  const Page = () => (
    <TextEditor
      text={text}
      label="The text"
      context={() => ({ ...namesIn(editing.handle?.text ?? '', language.verbs), language, flows: ['other-flow'] })}
      onText={() => undefined}
      onCursor={() => undefined}
      onReady={(handle) => {
        editing.handle = handle;
      }}
    />
  );
  render(<Page />, document.body);
}

const compare = (left: string, right: string): void =>
  render(<BothTexts left={{ text: left, label: 'Before' }} right={{ text: right, label: 'Now' }} />, document.body);

function clear(): void {
  render(null, document.body);
  editing.handle = undefined;
}

globalThis.editing = { handle: undefined, show, compare, clear };
