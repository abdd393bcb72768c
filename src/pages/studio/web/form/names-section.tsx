/** Names that the flow defines: variables, inputs, prompts and local flows. Each is renamed everywhere. */
import { isObject, type Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { useForm } from './context.ts';
import { RowName, renameEverywhere } from './row-name.tsx';

const SECTIONS = [
  ['variable', 'vars', t('Variables')],
  ['input', 'input', t('Inputs')],
  ['prompt', 'prompts', t('Prompts')],
  ['flow', 'flows', t('Sub-flows')],
] as const;

export function NamesSections() {
  const form = useForm();
  return SECTIONS.map(([kind, section, title]) => {
    const map = form.flow[section] ?? null;
    if (!isObject(map) || Object.keys(map).length === 0) return null;
    return (
      <section class="form-section" aria-label={title} key={kind}>
        <h3>{title}</h3>
        <span class="list-rows">
          {Object.entries(map).map(([name, value]) => (
            <span class="name-row" key={name} data-name-kind={kind} data-name={name}>
              <RowName name={name} kind={kind} rename={(to) => renameEverywhere(form, kind, name, to)} />
              <span class="form-said">{aboutName(value)}</span>
            </span>
          ))}
        </span>
      </section>
    );
  });
}

/** Words of a prompt, the type of a variable or an input, or the purpose of a local flow. */
function aboutName(value: Json): string {
  if (typeof value === 'string') return value;
  const about = isObject(value) ? (value['type'] ?? value['doc']) : undefined;
  return typeof about === 'string' ? about : '';
}
