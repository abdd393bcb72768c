/** The form of the flow itself, shown while no step is selected. */
import type { ComponentChildren } from 'preact';
import type { Json } from '../../../../base/core/json.ts';
import { isObject } from '../../../../base/core/json.ts';
import { type Path, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { keyOfPath, type LanguageKey } from '../../../../language/flow/text/language.ts';
import { inSentence, t } from '../../../shared/web/words/translate.ts';
import { setDefault, setStart } from '../text/edit.ts';
import { flowIn, useForm } from './context.ts';
import { outcomeWords } from './labels.ts';
import { NamedHours } from './named-hours.tsx';
import { NamesSections } from './names-section.tsx';
import { StepSelect } from './step-select.tsx';
import { Typing } from './typing.tsx';
import { defaultWords, readTyped, shownValue } from './values.ts';

const SETTINGS: readonly (readonly [label: string, path: Path])[] = [
  [t('Purpose'), ['doc']],
  [t('Language'), ['defaults', 'locale']],
  [t('Voice'), ['defaults', 'voice']],
  [t('Time zone'), ['defaults', 'timezone']],
  [t('Longest call'), ['limits', 'max_duration']],
];
const INPUT: readonly (readonly [label: string, path: Path])[] = [
  [t('Tries'), ['defaults', 'input', 'attempts']],
  [t('Wait for the first key'), ['defaults', 'input', 'start_timeout']],
  [t('Wait between keys'), ['defaults', 'input', 'inter_digit_timeout']],
  [t('Silence that ends speech'), ['defaults', 'input', 'recognizer_timeout']],
];
/** Outcomes that most flows lead to one step. */
const DEFAULTS = ['error', 'exhausted'];

interface FlowFormProps {
  name: string;
  problems: ComponentChildren;
  goToText(): void;
}

export function FlowForm({ name, problems, goToText }: FlowFormProps) {
  const { draft, edits, graph, flow, isLocked } = useForm();
  const exits = [...new Set([...DEFAULTS, ...Object.keys(graph.defaults)])];
  const count = graph.steps.length;
  return (
    <>
      <header class="form-head">
        <h2 class="plain">{name}</h2>
        <small>
          {t('The flow: {count, plural, one {# step} other {# steps}}. Select a step to change it.', { count })}
        </small>
      </header>
      <section class="form-section first" aria-label={t('Settings')}>
        <div class="form-field">
          <label class="form-label" for="flow-start">
            {t('Begins with')}
          </label>
          <StepSelect
            id="flow-start"
            label={t('Begins with')}
            target={graph.start ?? ''}
            isLocked={isLocked}
            choose={(step) => {
              if (step !== undefined && step !== '$end')
                edits.apply(setStart(draft.text.peek(), step), t('begin with {step}', { step }));
            }}
          />
        </div>
        {SETTINGS.map(([label, path]) => (
          <SettingField key={label} label={label} path={path} />
        ))}
      </section>
      <section class="form-section" aria-label={t('If not said otherwise')}>
        <h3>{t('If not said otherwise')}</h3>
        <div class="routes">
          {exits.map((outcome) => (
            <div class="route" key={outcome}>
              <span>{outcomeWords(outcome)}</span>
              <span aria-hidden="true">→</span>
              <StepSelect
                label={t('{outcome} leads to', { outcome: outcomeWords(outcome) })}
                target={graph.defaults[outcome] ?? ''}
                none={t('Each step decides')}
                isLocked={isLocked}
                choose={(step) => {
                  edits.apply(
                    setDefault(draft.text.peek(), outcome, step),
                    t('lead {outcome} to {step}', { outcome, step: step ?? t('the default') }),
                  );
                }}
              />
            </div>
          ))}
        </div>
        {INPUT.map(([label, path]) => (
          <SettingField key={label} label={label} path={path} />
        ))}
      </section>
      <NamedHours />
      <NamesSections />
      <section class="form-section">
        <h3>{t('In the file')}</h3>
        {problems}
        <p class="form-said">{saidOf(flow)}</p>
        <button type="button" class="link" onClick={goToText}>
          {t('Show the YAML')}
        </button>
      </section>
    </>
  );
}

const SAID = {
  vars: (count: number) => t('{count, plural, one {# variable} other {# variables}}', { count }),
  input: (count: number) => t('{count, plural, one {# input} other {# inputs}}', { count }),
  prompts: (count: number) => t('{count, plural, one {# text} other {# texts}}', { count }),
  schedules: (count: number) => t('{count} opening hours', { count }),
  events: (count: number) => t('{count, plural, one {# event} other {# events}}', { count }),
  flows: (count: number) => t('{count, plural, one {# local flow} other {# local flows}}', { count }),
} as const;

function saidOf(flow: Readonly<Record<string, Json>>): string {
  const counts = (['vars', 'input', 'prompts', 'schedules', 'events', 'flows'] as const).flatMap((key) => {
    const map = flow[key] ?? null;
    return isObject(map) ? SAID[key](Object.keys(map).length) : [];
  });
  return counts.length === 0 ? t('Steps only.') : `${counts.join(' · ')}.`;
}

function SettingField({ label, path }: { label: string; path: Path }) {
  const { draft, edits, flow, language, isLocked } = useForm();
  const key: LanguageKey = keyOfPath(language, path) ?? { type: 'string' };
  const editor = key.code === 'duration' ? 'duration' : key.type === 'integer' ? 'number' : 'text';
  const value = valueAt(flow, path);
  const id = `flow-${path.join('-')}`;
  const accept = (text: string): string | undefined => {
    const read = readTyped(text, key, editor);
    if (read.problem !== undefined) return read.problem;
    const title = t('change {label}', { label: inSentence(label) });
    return edits.set({ step: '', path, value: read.value, title, field: id });
  };
  return (
    <div class={`form-field${value === undefined ? ' unset' : ''}`}>
      <label class="form-label" for={id}>
        {label}
      </label>
      <Typing
        id={id}
        shown={shownValue(value, editor)}
        now={() => shownValue(valueAt(flowIn(draft.text.peek()) ?? {}, path), editor)}
        accept={accept}
        isLocked={isLocked}
        placeholder={defaultWords(key, editor)}
        tellsStored={editor === 'duration'}
      />
    </div>
  );
}
