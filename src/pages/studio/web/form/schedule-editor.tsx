/** Opening hours of a step: named hours, or hours of the step itself. Named hours of the flow are edited here, too. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { isObject, type Json } from '../../../../base/core/json.ts';
import { valueAt } from '../../../../language/flow/text/flow-source.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { type EditorProps, FormProvider, useForm } from './context.ts';
import { firstHours, usersOf } from './named-hours.tsx';
import { isReadHours, OwnHours } from './own-hours.tsx';

/** Value of the option for hours of the step itself. */
const OWN = '$own';

export function ScheduleEditor({ field, value }: EditorProps) {
  const form = useForm();
  const { flow, step, edits, language, isLocked } = form;
  const ofService = useSignal<readonly string[]>([]);
  useEffect(() => {
    void namesOfService().then((names) => (ofService.value = names));
  }, []);
  const own = isObject(value ?? null) ? (value as Record<string, Json>) : undefined;
  const inFlow = Object.keys(Object(flow['schedules']) as object);
  const used = typeof value === 'string' ? [value] : [];
  const names = [...new Set([...inFlow, ...ofService.value, ...used])];
  const choose = (name: string): void => {
    const to = name === OWN ? firstHours(language) : name === '' ? undefined : name;
    edits.set({ step, path: field.path, value: to, title: t('change opening hours of {step}', { step }) });
  };
  const named = typeof value === 'string' ? (valueAt(flow, ['schedules', value]) ?? null) : null;
  return (
    <span class="hours-of-step">
      {(own === undefined || names.length > 0) && (
        <select
          aria-label={field.label}
          disabled={isLocked}
          value={own === undefined ? String(value ?? '') : OWN}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
        >
          {((own === undefined && used.length === 0) || !field.isRequired) && (
            <option value="">{t('Choose opening hours')}</option>
          )}
          <option value={OWN}>{t('Hours of this step')}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      {own !== undefined && <OwnHours path={field.path} schema={field.key} hours={own} />}
      {isObject(named) && isReadHours(named) && (
        <>
          <small class="field-help">
            {t('Used by {steps}', { steps: usersOf(flow, String(value), language).join(', ') })}
          </small>
          <FormProvider value={{ ...form, step: '' }}>
            <OwnHours path={['schedules', String(value)]} schema={field.key} hours={named} ofStep={step} />
          </FormProvider>
        </>
      )}
    </span>
  );
}

/** Names of the opening hours of the service. Empty without the right to list them. */
async function namesOfService(): Promise<string[]> {
  try {
    const { schedules } = await request<{ schedules: { name: string }[] }>('/admin/v1/schedules');
    return schedules.map(({ name }) => name);
  } catch {
    return [];
  }
}

/** True if the editor can show the value. */
export const isSchedule = (value: Json): boolean => (isObject(value) ? isReadHours(value) : typeof value === 'string');
