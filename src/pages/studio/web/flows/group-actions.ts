/** Groups steps in the editor: the key `section` of each step is the title of its group. */
import type { JsonObject } from '../../../../base/core/json.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { argumentChanges } from '../../../../language/flow/text/set-argument.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { edited } from '../text/edit.ts';
import type { EditorParts } from './editor-parts.ts';
import { editsOf, stepsInWords } from './make-edits.ts';

/** As in the schema of a step. */
const MAX_TITLE = 60;

/** Asks for the title of a group, and writes it at each of the steps. */
export function groupInEditor(parts: EditorParts, steps: readonly string[]): void {
  const { draft, asked } = parts;
  const sections = draft.graph.steps.flatMap(({ section }) => section ?? []);
  const own = new Set(draft.graph.steps.flatMap(({ name, section }) => (steps.includes(name) ? (section ?? '') : [])));
  asked.value = {
    what: 'word',
    title: t('Group {steps}', { steps: stepsInWords(steps) }),
    label: t('Title of the group'),
    value: own.size === 1 ? [...own][0]! : '',
    action: t('Group'),
    refuse: (title) =>
      title.trim().length > MAX_TITLE
        ? t('At most {count, plural, one {# character} other {# characters}}', { count: MAX_TITLE })
        : undefined,
    among: [...new Set(sections)].map((value) => ({ value })),
    take: (title) => setSection(parts, steps, title),
  };
}

/** Without a title, the steps belong to no group. */
export function setSection(parts: EditorParts, steps: readonly string[], title: string | undefined): void {
  const { draft, language } = parts;
  const words = stepsInWords(steps);
  const edits = edited(draft.text.peek(), ({ value }) => {
    const changes: Change[] = [];
    for (const step of steps) {
      const found = sectionChanges(value, step);
      if (isRefusal(found)) return found;
      changes.push(...found);
    }
    return changes;
  });
  function sectionChanges(flow: JsonObject, step: string) {
    const isSame = draft.graph.steps.find(({ name }) => name === step)?.section === title;
    return isSame ? [] : argumentChanges(flow, { step, path: ['section'], value: title }, language);
  }
  const done =
    title === undefined ? t('{words} in no group', { words }) : t('{words} in the group {title}', { words, title });
  editsOf(parts)(edits, {
    title: title === undefined ? t('ungroup {words}', { words }) : t('group {words}', { words }),
    said: done,
  });
}
