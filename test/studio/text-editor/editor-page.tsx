/** The text editor alone, for tests in a browser. */
import '../../../src/studio/web/style.css';
import { render } from 'preact';
import { BothTexts } from '../../../src/studio/web/text/both-texts.tsx';
import { TextEditor, type TextHandle } from '../../../src/studio/web/text/editor.tsx';

declare global {
  var editing: {
    handle: TextHandle | undefined;
    show(text: string): void;
    compare(left: string, right: string): void;
    clear(): void;
  };
}

function show(text: string): void {
  const Page = () => (
    <TextEditor
      text={text}
      label="The text"
      context={() => undefined}
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
