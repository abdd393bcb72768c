/**
 * Screen `/broadcasts/new`: form for a broadcast, its rehearsal on simulated lines, and its start. Uses `order.ts` and
 * `rehearsal.ts`.
 */
import './broadcasts.css';
import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { project, request } from '../api.ts';
import { Empty } from '../empty-screen/empty.tsx';
import { type ListedFlowData, listFlows } from '../flow-api.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLoaded } from '../shell/load.ts';
import { announce, tell, tellError } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf, navigate } from '../shell/router.ts';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import {
  type BroadcastForm,
  EMPTY_FORM,
  GENERATED,
  generatedCount,
  numbersIn,
  type Order,
  type Problems,
  type RehearsedNumbers,
  readOrder,
} from './order.ts';
import { RehearsalRun } from './rehearsal.ts';
import { RehearsalView } from './rehearsal-view.tsx';

/** At module level, so that the form keeps its content while other screens are open. */
const form = signal<BroadcastForm>(EMPTY_FORM);
const REHEARSED = [GENERATED, 1000, 10_000];
const GROUP = t('Broadcast');

export function NewBroadcast() {
  const problems = useSignal<Problems>({});
  const rehearsed = useSignal<RehearsedNumbers>('auto');
  const run = useMemo(() => new RehearsalRun(), []);
  useEffect(() => () => void run.stop().catch(() => undefined), []);
  const read = (): Order | undefined => {
    const found = readOrder(form.value);
    problems.value = found.problems ?? {};
    const [first] = Object.keys(problems.value);
    if (first !== undefined) document.getElementById(`broadcast-${first}`)?.focus();
    return found.problems ? undefined : found.order;
  };
  const rehearse = (): void => {
    const order = read();
    if (order === undefined) return;
    const given = numbersIn(form.value.numbers).length;
    if (rehearsed.value === 'given' && given === 0) {
      problems.value = { numbers: t('Enter the numbers to rehearse, or choose generated ones.') };
      document.getElementById('broadcast-numbers')?.focus();
      return;
    }
    const numbers = generatedCount(rehearsed.value, given);
    const wish = {
      broadcast: order,
      ...(numbers !== undefined && { numbers }),
      ...(project.value !== undefined && { app_id: project.value }),
    };
    run.start(wish).then(() => announce(t('Rehearsal {state}', { state: run.state.value?.state ?? '' })), tellError);
  };
  const start = async (): Promise<void> => {
    const order = read();
    if (order === undefined) return;
    const numbers = numbersIn(form.value.numbers).length;
    if (numbers === 0) {
      problems.value = { numbers: t('Enter the numbers to call.') };
      document.getElementById('broadcast-numbers')?.focus();
      return;
    }
    const isRehearsed = run.of.value === JSON.stringify(order) && run.state.value?.state === 'completed';
    const { from } = form.value;
    const question = isRehearsed
      ? t('Call {numbers, plural, one {# number} other {# numbers}} from {from} now?', { numbers, from })
      : t(
          'Call {numbers, plural, one {# number} other {# numbers}} from {from} now? It was not rehearsed as it is now.',
          { numbers, from },
        );
    if (!confirm(question)) return;
    try {
      const made = await request<{ app_instance: string }>('/voice/v1/broadcast', {
        method: 'POST',
        json: order,
        headers: { 'idempotency-key': crypto.randomUUID() },
      });
      tell(t('The broadcast has begun'));
      form.value = EMPTY_FORM;
      navigate(`/broadcasts/${made.app_instance}`);
    } catch (error) {
      tellError(error);
    }
  };
  useCommands(() => [
    { title: t('Rehearse it'), keys: 'Ctrl+Enter', group: GROUP, changes: true, run: rehearse },
    { title: t('Start it'), group: GROUP, changes: true, run: () => void start() },
  ]);
  const now = run.state.value;
  return (
    <Page
      title={t('New broadcast')}
      out="/broadcasts"
      crumb={tNodes('<a>Broadcasts</a> / New broadcast', {
        a: (part) => <a href={addressOf('/broadcasts')}>{part}</a>,
      })}
      actions={
        <WriteAccessOnly>
          <button type="button" class="button primary" disabled={run.isRunning} onClick={rehearse}>
            {t('Rehearse')} <Keys of="Ctrl+Enter" />
          </button>
          <button type="button" class="button" onClick={start}>
            {t('Start')}
          </button>
        </WriteAccessOnly>
      }
    >
      <div class="new-broadcast">
        <Pane label={t('Order')}>
          <OrderForm problems={problems.value} rehearsed={rehearsed} />
        </Pane>
        <Pane label={t('Rehearsal')} class="sheet">
          {now === undefined ? (
            <Empty
              icon="broadcasts"
              text={t(
                'A rehearsal shows how long it takes, how many lines it needs, and what people answer. Callees are simulated: no one is called.',
              )}
            >
              <WriteAccessOnly>
                <button type="button" class="button" onClick={rehearse}>
                  {t('Rehearse')}
                </button>
              </WriteAccessOnly>
            </Empty>
          ) : (
            <RehearsalView state={now} stop={() => void run.stop().catch(tellError)} />
          )}
        </Pane>
      </div>
    </Page>
  );
}

function OrderForm({ problems, rehearsed }: { problems: Problems; rehearsed: Signal<RehearsedNumbers> }) {
  const given = numbersIn(form.value.numbers).length;
  const generated = generatedCount(rehearsed.value, given);
  const { loaded } = useLoaded(async () => {
    const [flows, { numbers }] = await Promise.all([
      listFlows(),
      request<{ numbers: { number: string }[] }>('/admin/v1/numbers'),
    ]);
    return { flows: flows.filter(({ errors }) => errors === 0), numbers };
  });
  const { flows, numbers } =
    loaded.value.state === 'there' ? loaded.value.value : { flows: [] as ListedFlowData[], numbers: [] };
  const common = (field: keyof BroadcastForm) => ({
    id: `broadcast-${field}`,
    value: form.value[field],
    autocomplete: 'off' as const,
    'aria-invalid': problems[field] !== undefined,
    'aria-describedby': `broadcast-${field}-help`,
    onInput: (event: Event) => {
      form.value = { ...form.value, [field]: (event.currentTarget as HTMLInputElement).value };
    },
  });
  const labelled = (field: keyof BroadcastForm, label: string, help: string, input: ComponentChild) => (
    <div class={`field ${field === 'more' ? 'json' : ''}`}>
      <label for={`broadcast-${field}`}>{label}</label>
      {input}
      <small id={`broadcast-${field}-help`}>
        {problems[field] !== undefined && <strong>{problems[field]} </strong>}
        {help}
      </small>
    </div>
  );
  const short = (field: keyof BroadcastForm, label: string, help: string) =>
    labelled(field, label, help, <input {...common(field)} inputMode="decimal" />);
  return (
    <form class="form" aria-label={t('Order')} onSubmit={(event) => event.preventDefault()}>
      {labelled('name', t('Name'), t('What people call it; the flow’s when empty.'), <input {...common('name')} />)}
      {labelled(
        'flow',
        t('Flow'),
        t('Flow played to people who answer.'),
        <select {...common('flow')}>
          <option value="">{t('choose')}</option>
          {flows.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>,
      )}
      {labelled(
        'from',
        t('From'),
        t('The number that is shown.'),
        <input {...common('from')} list="broadcast-from-choices" />,
      )}
      <datalist id="broadcast-from-choices">
        {numbers.map(({ number }) => (
          <option key={number} value={number} />
        ))}
      </datalist>
      {labelled(
        'numbers',
        t('Numbers'),
        t('One number per line, or a pasted table: the first column is used.'),
        <textarea {...common('numbers')} rows={5} />,
      )}
      <div class="field">
        <label for="broadcast-count">{t('Rehearse with')}</label>
        <select
          id="broadcast-count"
          value={String(generated ?? 'given')}
          onChange={({ currentTarget: { value } }) => {
            rehearsed.value = value === 'given' ? 'given' : Number(value);
          }}
        >
          <option value="given">
            {given === 0
              ? t('the numbers above')
              : t('the {count, plural, one {# number} other {# numbers}} above', { count: given })}
          </option>
          {REHEARSED.map((each) => (
            <option key={each} value={String(each)}>
              {t('{count, plural, one {# generated number} other {# generated numbers}}', { count: each })}
            </option>
          ))}
        </select>
      </div>
      <div class="pace">
        {short('callsPerSecond', t('New calls per second'), t('Numbers dialled each second.'))}
        {short('atOnce', t('Maximum simultaneous calls'), t('Further numbers wait.'))}
        {short('retries', t('Retries'), t('After the first call; default: 3.'))}
        {short('retryAfter', t('Retry after'), t('Seconds; default: 5.'))}
      </div>
      {labelled(
        'more',
        t('Advanced (JSON)'),
        t('Other fields of the order: {"amd": true, "call_param": {"window": {…}}}'),
        <textarea {...common('more')} rows={3} spellcheck={false} />,
      )}
    </form>
  );
}
