/** Menu of the toolbar to save or print the drawing. The command palette has the same commands. */
import { t } from '../../../shared/web/words/translate.ts';
import { useCommands } from '../shell/commands.ts';
import { Menu } from '../shell/menu.tsx';
import { tellError } from '../shell/messages.tsx';
import { type Picture, printPicture, savePng, saveSvg } from './save-picture.ts';

const WAYS: readonly { title: string; save(picture: Picture): void | Promise<void> }[] = [
  { title: t('Save as SVG, with the text of the flow inside'), save: saveSvg },
  { title: t('Save as PNG'), save: savePng },
  { title: t('Print the graph'), save: printPicture },
];

export function SaveMenu({ picture }: { picture(): Picture }) {
  const run = async (save: (picture: Picture) => void | Promise<void>): Promise<void> => {
    try {
      await save(picture());
    } catch (error) {
      tellError(error);
    }
  };
  const items = WAYS.map(({ title, save }) => ({ title, run: () => void run(save) }));
  useCommands(() => items.map((item) => ({ ...item, group: t('Graph') })), []);
  return <Menu id="canvas-save-menu" label={t('Save or print')} items={items} />;
}
