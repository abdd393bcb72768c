/** Help for the verb at the cursor, from the schemas: outcomes and arguments. */
import type { Language, LanguageKey } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { VerbIcon } from '../icons.tsx';
import { plain } from '../shell/plain-text.ts';

interface HelpPanelProps {
  language: Language;
  verb: string | undefined;
}

export function HelpPanel({ language, verb }: HelpPanelProps) {
  const known = verb === undefined ? undefined : language.verbs[verb];
  if (verb === undefined || known === undefined) {
    return <p class="help-empty">{t('Put the cursor into a step: its verb is explained here.')}</p>;
  }
  const keys = Object.entries(known.schema.properties ?? known.schema.items?.properties ?? {});
  const required = Array.isArray(known.schema.required) ? known.schema.required : [];
  return (
    <div class={`help g-${known.group}`}>
      <h2>
        <span class="icon">
          <VerbIcon verb={verb} />
        </span>
        {known.label ?? verb}
        {known.label !== undefined && <code>{verb}</code>}
      </h2>
      <p>{plain(known.summary)}</p>
      <h3>{t('Outcomes')}</h3>
      <dl>
        {known.outcomes.map((outcome) => (
          <div key={outcome}>
            <dt>{outcome}</dt>
            <dd>{plain(known.meanings?.[outcome] ?? '')}</dd>
          </div>
        ))}
      </dl>
      {keys.length > 0 && <h3>{t('Keys')}</h3>}
      <dl>
        {keys.map(([name, key]) => (
          <div key={name}>
            <dt>
              {name}
              {required.includes(name) && <small> {t('required')}</small>}
            </dt>
            <dd>
              {plain(key.description ?? '')} <DefaultOf value={key} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function DefaultOf({ value: { default: value, otherwise, enum: words } }: { value: LanguageKey }) {
  const otherwiseWords = value === undefined ? otherwise : typeof value === 'string' ? value : JSON.stringify(value);
  return (
    <>
      {words !== undefined && <small>{words.map(String).join(' · ')} </small>}
      {otherwiseWords !== undefined && <small>{t('Default: {value}', { value: otherwiseWords })}</small>}
    </>
  );
}
