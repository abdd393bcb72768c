/** Part of the dialog for a new flow: a file of another system, its report, and the flow made of it. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { listText, t } from '../../../shared/web/words/translate.ts';
import { type ListedFlowData, writeFlow } from '../flow-api.ts';
import { Icon } from '../icons.tsx';
import { navigate } from '../shell/router.ts';
import {
  countsOf,
  differing,
  FIDELITY_WORDS,
  type FileToImport,
  type ImportReport,
  importFlows,
  refusalOfFiles,
  whyNothing,
} from './import-report.ts';
import { NameField, refusalOfName } from './name-field.tsx';
import { DrawnText } from './small-drawing.tsx';
import { freeName } from './templates.ts';

export const IMPORTED = 'Twilio Studio, TwiML, Amazon Connect, Vonage NCCO, jambonz, SignalWire SWML, VoiceXML';
const DRAWING = { width: 300, height: 150 };

interface ImportFlowProps {
  flows: readonly ListedFlowData[];
  back(): void;
  close(): void;
}

export function ImportFlow({ flows, back, close }: ImportFlowProps) {
  const sources = useSignal<readonly FileToImport[]>([]);
  const report = useSignal<ImportReport | undefined>(undefined);
  const name = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);
  const taken = flows.map((flow) => flow.name);

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    problem.value = undefined;
    isBusy.value = true;
    await work().catch((error: Error) => {
      problem.value = `${error.message}.`;
    });
    isBusy.value = false;
  };
  const take = (files: readonly File[]): void => {
    report.value = undefined;
    const refused = refusalOfFiles(files);
    if (refused !== undefined) {
      problem.value = refused;
      return;
    }
    void attempt(async () => {
      sources.value = await Promise.all(files.map(async (file) => ({ file: file.name, text: await file.text() })));
      const made = await importFlows(sources.value);
      const [first] = made.flows;
      if (first === undefined) throw new Error(whyNothing(made).replace(/\.$/, ''));
      report.value = made;
      name.value = freeName(first.name, taken);
    });
  };
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const [first] = report.value?.flows ?? [];
    if (first === undefined || refusalOfName(name.value, taken) !== undefined) return;
    void attempt(async () => {
      // The flows of several files name each other.
      const { flows: made } = first.name === name.value ? report.value! : await importFlows(sources.value, name.value);
      const double = made.find((each) => taken.includes(each.name));
      if (double !== undefined) throw new Error(t('There is a flow {name} already', { name: double.name }));
      // Drafts, because steps that are to do are errors.
      for (const flow of made) await writeFlow(flow.name, flow.text, undefined, { isDraft: true });
      close();
      navigate(`/flows/${encodeURIComponent(made[0]!.name)}`);
    });
  };
  return (
    <form class="import-flow" onSubmit={save}>
      {report.value === undefined ? (
        <DropZone take={take} isBusy={isBusy.value} />
      ) : (
        <Report report={report.value} other={take}>
          <NameField name={name} taken={taken} />
        </Report>
      )}
      <p role="alert">{problem.value}</p>
      <div class="new-flow-end">
        <button type="button" class="button" onClick={back}>
          {t('Back to templates')}
        </button>
        {report.value !== undefined && (
          <button
            type="submit"
            class="button primary"
            disabled={isBusy.value || name.value === '' || refusalOfName(name.value, taken) !== undefined}
          >
            {t('Save {count, plural, one {flow} other {# flows}}', { count: report.value.flows.length })}
          </button>
        )}
      </div>
    </form>
  );
}

interface DropZoneProps {
  isBusy: boolean;
  take(files: readonly File[]): void;
}

function DropZone({ isBusy, take }: DropZoneProps) {
  const isOver = useSignal(false);
  return (
    <section
      aria-label={t('File to import')}
      class={`drop-zone ${isOver.value ? 'over' : ''}`}
      aria-busy={isBusy}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isOver.value = false;
        take([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <Icon name="import" size={28} />
      <p>
        <b>{isBusy ? t('Reading…') : t('Drop a file here')}</b>
      </p>
      <FileButton take={take}>{t('Choose a file')}</FileButton>
      <small>{t('{systems}. The format is recognised.', { systems: IMPORTED })}</small>
    </section>
  );
}

function FileButton({ take, children }: { take(files: readonly File[]): void; children: string }) {
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <button type="button" class="button" data-first onClick={() => field.current?.click()}>
        {children}
      </button>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label={t('File to import')}
        onChange={({ currentTarget }) => {
          take([...(currentTarget.files ?? [])]);
          // Otherwise the same file could not be chosen again.
          currentTarget.value = '';
        }}
      />
    </>
  );
}

interface ReportProps {
  report: ImportReport;
  other(files: readonly File[]): void;
  children: ComponentChildren;
}

function Report({ report, other, children }: ReportProps) {
  const { format_name: format, flows, nodes } = report;
  const [first] = flows;
  const unlike = differing(nodes);
  return (
    <div class="import-report">
      <div class="import-drawing">
        <DrawnText id={`import ${first!.text}`} text={first!.text} size={DRAWING} />
        {flows.length > 1 && (
          <small>
            {t('{count, plural, one {# flow} other {# flows}}: {names}', {
              count: flows.length,
              names: listText(flows.map(({ name }) => name)),
            })}
          </small>
        )}
      </div>
      <div class="import-facts">
        <p>
          <b>{format}</b> <FileButton take={other}>{t('Another file')}</FileButton>
        </p>
        <ul class="fidelity">
          {countsOf(nodes).map(({ fidelity, count }) => (
            <li key={fidelity} class={count === 0 ? 'none' : fidelity}>
              <b>{count}</b> {FIDELITY_WORDS[fidelity]}
            </li>
          ))}
        </ul>
        {children}
      </div>
      {unlike.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys (WCAG 2.1.1)
        <div class="differences" role="region" aria-label={t('Differences from the source')} tabIndex={0}>
          {unlike.map(({ kind, name, file, line, fidelity, notes }) => (
            <p key={`${file} ${line} ${kind} ${name}`}>
              <span class={`pill ${fidelity === 'todo' ? 'bad' : 'warn'}`}>
                {fidelity === 'todo' ? t('to do') : t('nearly')}
              </span>{' '}
              <b>{name ?? kind}</b> <small>{t('line {line}', { line })}</small>
              <br />
              {notes.join('; ').replaceAll('`', '')}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
