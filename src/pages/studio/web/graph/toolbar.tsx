/** View commands for mouse and touch. Each button shows its key. */

import { t } from '../../../shared/web/words/translate.ts';
import { foldAll } from './canvas-keys.ts';
import type { CanvasState } from './canvas-state.ts';
import type { Drawing } from './drawing.ts';
import type { UndoActions } from './edit-callbacks.ts';
import type { Fold } from './folds.ts';
import { LostView } from './lost-view.tsx';
import { SaveMenu } from './save-menu.tsx';
import type { Picture } from './save-picture.ts';
import type { Viewport } from './viewport.ts';

interface ToolbarProps {
  state: CanvasState;
  viewport: Viewport;
  drawing: Drawing;
  folds(): readonly Fold[];
  edits: UndoActions | undefined;
  picture(): Picture;
  /** Begins to search. */
  find(): void;
}

const ZOOM_STEP = 1.25;
/** Minimum number of cards for which the fold button is shown. */
const FEWEST_TO_FOLD = 5;

export function Toolbar({ state, viewport, drawing, folds, edits, picture, find }: ToolbarProps) {
  const isOutline = state.isOutline.value;
  return (
    <>
      <div class="canvas-tools" role="toolbar" aria-label={t('View')}>
        {edits !== undefined && <UndoTools {...edits} />}
        {!isOutline && (
          <>
            <Tool label={t('Zoom out')} keys="-" run={() => viewport.zoomAtMiddle(1 / ZOOM_STEP)} shape="M3 8h10" />
            <Tool label={t('Zoom in')} keys="+" run={() => viewport.zoomAtMiddle(ZOOM_STEP)} shape="M3 8h10M8 3v10" />
            <Tool
              label={t('Whole flow')}
              keys="0"
              run={() => viewport.fit(drawing)}
              shape="M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10"
            />
            <Tool
              label={t('Find steps')}
              keys="Ctrl+F"
              run={find}
              shape="M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.7 10.7 14 14"
            />
            {drawing.cards.size > FEWEST_TO_FOLD && (
              <Tool
                label={t('Fold groups')}
                keys="Shift+F"
                isOn={state.folded.value.size > 0}
                run={() => foldAll(state, folds())}
                shape="M2.5 4h11M2.5 12h11M8 6v0M5.5 8h5"
              />
            )}
            <Tool
              label={t('Default routes')}
              keys="Shift+D"
              isOn={state.withDefaults.value}
              run={() => {
                state.withDefaults.value = !state.withDefaults.value;
              }}
              shape="M2 4h4l4 8h4M11.5 9.5 14 12l-2.5 2.5"
            />
            <Tool
              label={t('Map')}
              keys="Shift+M"
              isOn={state.isMapShown(drawing.cards.size)}
              run={() => state.toggleMap(drawing.cards.size)}
              shape="M2 3.5 6 2l4 1.5L14 2v10.5L10 14l-4-1.5L2 14zM6 2v10.5M10 3.5V14"
            />
          </>
        )}
        <Tool
          label={isOutline ? t('Graph') : t('Outline')}
          keys="o"
          isOn={isOutline}
          run={() => {
            state.isOutline.value = !isOutline;
          }}
          shape="M2.5 3.5h11M5 8h8.5M5 12.5h8.5M2.5 8h.01M2.5 12.5h.01"
        />
        <SaveMenu picture={picture} />
      </div>
      {!isOutline && <LostView drawing={drawing} viewport={viewport} />}
    </>
  );
}

function UndoTools({ nextUndo, nextRedo, undo, redo }: UndoActions) {
  const titled = (verb: string, title: string | undefined): string =>
    title === undefined ? verb : `${verb}: ${title}`;
  return (
    <>
      <Tool
        label={titled(t('Undo'), nextUndo.value)}
        keys="Ctrl+Z"
        isOff={nextUndo.value === undefined}
        run={undo}
        shape="M6 3.5 2.5 7 6 10.5M2.5 7H10a3.5 3.5 0 0 1 0 7H7.5"
      />
      <Tool
        label={titled(t('Redo'), nextRedo.value)}
        keys="Ctrl+Shift+Z"
        isOff={nextRedo.value === undefined}
        run={redo}
        shape="M10 3.5 13.5 7 10 10.5M13.5 7H6a3.5 3.5 0 0 0 0 7h2.5"
      />
      <span class="tools-gap" />
    </>
  );
}

interface ToolProps {
  label: string;
  keys?: string;
  isOn?: boolean;
  isOff?: boolean;
  run(): void;
  /** Path data, as in `icons.tsx`. */
  shape: string;
}

const Tool = ({ label, keys, isOn, isOff, run, shape }: ToolProps) => (
  <button
    type="button"
    title={keys === undefined ? label : `${label} (${keys})`}
    aria-label={label}
    onClick={run}
    {...(isOff ? { 'aria-disabled': true } : {})}
    {...(isOn === undefined ? {} : { 'aria-pressed': isOn })}
    {...(keys === undefined ? {} : { 'aria-keyshortcuts': keys })}
  >
    <svg
      width="16"
      height="16"
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={shape} />
    </svg>
  </button>
);
