/** Menu of the toolbar to save or print the drawing. The command palette has the same commands. */
import { useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { useCommands } from '../shell/commands.ts';
import { tellError } from '../shell/messages.tsx';
import { type Picture, printPicture, savePng, saveSvg } from './save-picture.ts';

const WAYS: readonly { title: string; save(picture: Picture): void | Promise<void> }[] = [
  { title: t('Save as SVG, with the text of the flow inside'), save: saveSvg },
  { title: t('Save as PNG'), save: savePng },
  { title: t('Print the graph'), save: printPicture },
];
const MENU = 'canvas-save-menu';
const GAP = 8;

export function SaveMenu({ picture }: { picture(): Picture }) {
  const menu = useRef<HTMLDivElement>(null);
  /** Places the menu below its button. */
  const place = (event: { newState: string }): void => {
    const box = menu.current;
    const button = box?.previousElementSibling?.getBoundingClientRect();
    if (box === null || button === undefined || event.newState !== 'open') return;
    box.style.top = `${button.bottom + GAP}px`;
    box.style.right = `${innerWidth - button.right}px`;
  };
  const run = async (save: (picture: Picture) => void | Promise<void>): Promise<void> => {
    menu.current?.hidePopover();
    try {
      await save(picture());
    } catch (error) {
      tellError(error);
    }
  };
  useCommands(() => WAYS.map(({ title, save }) => ({ title, group: t('Graph'), run: () => void run(save) })), []);
  return (
    <>
      <button
        type="button"
        class="save-menu"
        popovertarget={MENU}
        aria-label={t('Save or print')}
        title={t('Save or print')}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" fill="currentColor" aria-hidden="true">
          <circle cx="3" cy="8" r="1.4" />
          <circle cx="8" cy="8" r="1.4" />
          <circle cx="13" cy="8" r="1.4" />
        </svg>
      </button>
      <div ref={menu} id={MENU} popover="auto" class="canvas-menu" onBeforeToggle={place}>
        {WAYS.map(({ title, save }) => (
          <button key={title} type="button" onClick={() => void run(save)}>
            {title}
          </button>
        ))}
      </div>
    </>
  );
}
