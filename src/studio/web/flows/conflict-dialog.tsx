/** Somebody else has saved the flow meanwhile: both texts side by side, and what to go on with. Nothing is lost. */
import { Dialog } from '../shell/dialog.tsx';
import { BothTexts } from '../text/both-texts.tsx';
import { withPlainEnds } from '../text/line-ends.ts';
import type { Theirs } from './flow-api.ts';

interface ConflictDialogProps {
  mine: string;
  theirs: Theirs;
  close(): void;
  /** The text to go on with. The next save replaces theirs. */
  choose(text: string): void;
}

export function ConflictDialog({ mine, theirs, close, choose }: ConflictDialogProps) {
  const saved = withPlainEnds(theirs.text);
  return (
    <Dialog title="Somebody else has saved this flow" close={close} class="conflict">
      <p>
        Left is what is saved now, right is your text. Whatever you choose, undo brings your text back; nothing is saved
        until you save.
      </p>
      <BothTexts
        left={{ text: saved, label: 'The text that was saved meanwhile' }}
        right={{ text: mine, label: 'Your text' }}
      />
      <footer>
        <button type="button" class="button" onClick={() => choose(saved)}>
          Go on with theirs
        </button>
        <button type="button" class="button primary" onClick={() => choose(mine)}>
          Go on with mine
        </button>
      </footer>
    </Dialog>
  );
}
