/** Form of a canary: share of the callers, numbers, and rollback conditions. Used by `canary-view.tsx`. */
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { BACK_WHEN, type BackWhenData, type CanaryData, type WantedCanary } from './canary-api.ts';
import { shortHash } from './version-api.ts';

interface CanaryFormProps {
  version: string;
  /** Numbers routed to the flow. */
  numbers: readonly string[];
  /** Active canary, which the form changes. */
  canary: CanaryData | undefined;
  isBusy: boolean;
  submit(wanted: WantedCanary): void;
}

const FIRST_PERCENT = 20;

const MARGINS: readonly { key: keyof BackWhenData; label: string; unit: string; most: number; least: number }[] = [
  { key: 'errors_worse_by', label: t('Errors worse by'), unit: t('points'), least: 0, most: 100 },
  { key: 'abandoned_worse_by', label: t('Hang-ups worse by'), unit: t('points'), least: 0, most: 100 },
  { key: 'after_calls', label: t('After'), unit: t('calls of the canary'), least: 1, most: 100_000 },
];

export function CanaryForm({ version, numbers, canary, isBusy, submit }: CanaryFormProps) {
  const percent = useSignal(canary?.percent ?? FIRST_PERCENT);
  const chosen = useSignal<ReadonlySet<string>>(new Set(canary?.numbers ?? numbers));
  const margins = useSignal<BackWhenData>({ ...(canary?.back_when ?? BACK_WHEN) });
  const title = canary === undefined ? t('Start a canary') : t('Change the canary');
  const hasNumbers = numbers.length > 1;
  const refused = hasNumbers && chosen.value.size === 0 ? t('Choose a number at least.') : undefined;
  const take = (value: number): void => {
    if (value > 0 && value <= 100) percent.value = value;
  };
  const toggle = (number: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(number)) next.add(number);
    chosen.value = next;
  };
  const send = (event: SubmitEvent): void => {
    event.preventDefault();
    if (refused !== undefined) return;
    const some = numbers.filter((number) => chosen.value.has(number));
    submit({
      version,
      percent: percent.value,
      ...(some.length < numbers.length && { numbers: some }),
      back_when: margins.value,
    });
  };
  return (
    <form class="canary-form" aria-label={title} onSubmit={send}>
      <h2>
        {title} <code>{shortHash(version)}</code>
      </h2>
      <div class="field">
        <label for="canary-percent">{t('Share of callers, in percent')}</label>
        <div class="canary-percent">
          <input
            type="range"
            min={1}
            max={100}
            step={1}
            aria-label={t('Part of the callers')}
            aria-valuetext={t('{percent} percent', { percent: percent.value })}
            value={percent.value}
            onInput={(event) => take(event.currentTarget.valueAsNumber)}
          />
          <input
            id="canary-percent"
            type="number"
            min={0.1}
            max={100}
            step={0.1}
            required
            value={percent.value}
            onInput={(event) => take(event.currentTarget.valueAsNumber)}
          />
        </div>
        <small>
          {t('The same callers get it each time: their number decides. A larger share keeps all current ones.')}
        </small>
      </div>
      {hasNumbers && (
        <fieldset class="canary-numbers">
          <legend>{t('On the numbers')}</legend>
          {numbers.map((number) => (
            <label key={number}>
              <input type="checkbox" checked={chosen.value.has(number)} onChange={() => toggle(number)} />
              {number}
            </label>
          ))}
          {refused !== undefined && <p role="alert">{refused}</p>}
        </fieldset>
      )}
      <fieldset class="canary-margins">
        <legend>{t('Automatic rollback')}</legend>
        {MARGINS.map(({ key, label, unit, least, most }) => (
          <label key={key}>
            <span>{label}</span>
            <input
              type="number"
              min={least}
              max={most}
              step={key === 'after_calls' ? 1 : 0.1}
              required
              value={margins.value[key]}
              onInput={({ currentTarget: { valueAsNumber: value } }) => {
                if (value >= least) margins.value = { ...margins.value, [key]: value };
              }}
            />
            <small>{unit}</small>
          </label>
        ))}
        <p>
          <small>{t('When worse than the live version, if statistically significant. 100 points: never.')}</small>
        </p>
      </fieldset>
      <div class="form-end">
        <button type="submit" class={`button${canary === undefined ? ' primary' : ''}`} disabled={isBusy}>
          {canary === undefined ? t('Start with {percent} %', { percent: percent.value }) : t('Change')}
        </button>
      </div>
    </form>
  );
}
