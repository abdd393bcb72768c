/** Fields for common filters of calls. They write the text of the filter, and read it. */

import { t } from '../../../shared/web/words/translate.ts';
import { chosenOf, termValue, withChosen, withValue } from './filter-terms.ts';

interface PlainFiltersProps {
  text: string;
  /** Flows to choose from. */
  flows: readonly string[];
  ask(text: string): void;
}

interface Choice {
  label: string;
  term: string;
}

const DIRECTIONS: readonly Choice[] = [
  { label: t('Inbound'), term: 'direction:in' },
  { label: t('Outbound'), term: 'direction:out' },
];
const SILENCES: readonly Choice[] = [
  { label: t('Over 3 s'), term: 'silence>3s' },
  { label: t('Over 5 s'), term: 'silence>5s' },
  { label: t('Over 10 s'), term: 'silence>10s' },
];
const RESULTS: readonly Choice[] = [
  { label: t('Live now'), term: 'is:live' },
  { label: t('Hung up'), term: 'cause:"hung up"' },
  { label: t('Busy'), term: 'cause:busy' },
  { label: t('No answer'), term: 'cause:"no answer"' },
  { label: t('Declined'), term: 'cause:declined' },
  { label: t('Failed'), term: 'state:failed' },
];

export function PlainFilters({ text, flows, ask }: PlainFiltersProps) {
  const flow = termValue(text, 'flow');
  const day = termValue(text, 'day');
  const choice = (label: string, any: string, choices: readonly Choice[]) => {
    const terms = choices.map(({ term }) => term);
    return (
      <label>
        {label}
        <select
          value={chosenOf(text, terms)}
          onChange={({ currentTarget: { value } }) => ask(withChosen(text, terms, value))}
        >
          <option value="">{any}</option>
          {choices.map((each) => (
            <option key={each.term} value={each.term}>
              {each.label}
            </option>
          ))}
        </select>
      </label>
    );
  };
  const date = (label: string, sign: '>=' | '<=') => (
    <label>
      {label}
      <input
        type="date"
        value={day === '' ? termValue(text, 'day', sign) : day}
        onChange={({ currentTarget: { value } }) => {
          // A single day in the text becomes a range.
          const other = sign === '>=' ? '<=' : '>=';
          const range = day === '' ? text : withValue(withValue(text, 'day', ''), 'day', day, other);
          ask(withValue(range, 'day', value, sign));
        }}
      />
    </label>
  );
  return (
    <fieldset class="plain-filters">
      <legend class="unseen">{t('Filters')}</legend>
      {date(t('From day'), '>=')}
      {date(t('To day'), '<=')}
      <label>
        {t('Flow')}
        <select value={flow} onChange={({ currentTarget: { value } }) => ask(withValue(text, 'flow', value))}>
          <option value="">{t('All flows')}</option>
          {[...new Set([...flows, ...(flow === '' ? [] : [flow])])].map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {choice(t('Direction'), t('Both'), DIRECTIONS)}
      {choice(t('Result'), t('Any result'), RESULTS)}
      {choice(t('With silence'), t('With or without'), SILENCES)}
    </fieldset>
  );
}
