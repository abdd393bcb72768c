/** Dialog for a new flow: a gallery of templates, or an import. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { YamlScanner } from '../../../../language/flow/text/scan-yaml.ts';
import { request } from '../api.ts';
import './new-flow.css';
import { t } from '../../../shared/web/words/translate.ts';
import { type ListedFlowData, readFlow, writeFlow } from '../flow-api.ts';
import { Icon } from '../icons.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { tellError } from '../shell/messages.tsx';
import { navigate } from '../shell/router.ts';
import { ImportFlow } from './import-flow.tsx';
import { NameField, refusalOfName } from './name-field.tsx';
import { DrawnText, SmallDrawing } from './small-drawing.tsx';
import { type ExampleFlow, type FlowTemplate, freeName, matching, SMALLEST, templatesOf } from './templates.ts';

/** Replaces the name of the flow in a text and keeps all other characters. */
export function renamedFlow(text: string, name: string): string {
  const named = new YamlScanner(text).words.find(
    ({ kind, path }) => kind === 'value' && path.length === 1 && path[0] === 'flow',
  );
  if (named === undefined) return `flow: ${name}\n${text}`;
  return text.slice(0, named.from) + name + text.slice(named.to);
}

/** Examples of the service. Empty if it was installed without them. */
const readExamples = async (): Promise<ExampleFlow[]> =>
  (await request<{ examples: ExampleFlow[] }>('/admin/v1/examples')).examples;

const BLANK: FlowTemplate = {
  ...{ key: 'blank', name: 'new-flow', title: t('Blank'), sentence: t('A greeting, then the end.') },
  ...{ words: t('empty greeting hang-up'), text: SMALLEST },
};
const DRAWING = { width: 164, height: 80 };

interface NewFlowProps {
  flows: readonly ListedFlowData[];
  /** Initial search. */
  wanted?: string;
  close(): void;
}

export function NewFlow({ flows, wanted = '', close }: NewFlowProps) {
  const isImporting = useSignal(false);
  return (
    <Dialog title={isImporting.value ? t('Import a flow') : t('New flow')} close={close} class="new-flow">
      {isImporting.value ? (
        <ImportFlow flows={flows} back={() => (isImporting.value = false)} close={close} />
      ) : (
        <Gallery flows={flows} wanted={wanted} close={close} toImport={() => (isImporting.value = true)} />
      )}
    </Dialog>
  );
}

interface GalleryProps extends Required<NewFlowProps> {
  toImport(): void;
}

function Gallery({ flows, wanted, close, toImport }: GalleryProps) {
  const name = useSignal('');
  const search = useSignal(wanted);
  const chosen = useSignal<string | undefined>(undefined);
  const examples = useSignal<readonly ExampleFlow[]>([]);
  useEffect(() => {
    readExamples().then((found) => (examples.value = found), tellError);
  }, []);
  const taken = flows.map((flow) => flow.name);
  const sound = flows.filter(({ errors }) => errors === 0);
  const shown = matching([BLANK, ...templatesOf(examples.value, sound)], search.value);
  const template = shown.find(({ key }) => key === chosen.value) ?? shown[0];
  const suggested = template && freeName(template.name, taken);
  const refused = refusalOfName(name.value, taken);
  const create = async (from: FlowTemplate | undefined): Promise<void> => {
    const own = name.value === '' ? from && freeName(from.name, taken) : name.value;
    if (from === undefined || own === undefined || refused !== undefined) return;
    try {
      const text = from.text ?? (await readFlow(from.title)).text;
      // Saved as a draft, because an example may refer to resources that this service lacks; the editor shows the
      // errors.
      await writeFlow(own, renamedFlow(text, own), undefined, {
        isDraft: from.key.startsWith('example '),
      });
      close();
      navigate(`/flows/${own}`);
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <form
      class="gallery"
      onSubmit={(event) => {
        event.preventDefault();
        void create(template);
      }}
    >
      <div class="gallery-head">
        <NameField name={name} taken={taken} suggested={suggested} />
        <label>
          {t('Search')}
          <input
            type="search"
            value={search.value}
            placeholder={t('voicemail, queue, payment …')}
            onInput={({ currentTarget: { value } }) => {
              search.value = value;
            }}
          />
        </label>
      </div>
      <fieldset class="templates">
        <legend class="unseen">{t('Start from')}</legend>
        {shown.map((each) => (
          <TemplateCard
            key={each.key}
            template={each}
            hash={sound.find((flow) => `flow ${flow.name}` === each.key)?.hash}
            isChosen={each === template}
            choose={() => {
              chosen.value = each.key;
            }}
            create={() => void create(each)}
          />
        ))}
        {shown.length === 0 && <p class="empty">{t('No template matches. Try another word.')}</p>}
      </fieldset>
      <div class="new-flow-end">
        <button type="button" class="button" onClick={toImport}>
          <Icon name="import" /> {t('Import from another system')}
        </button>
        <button type="submit" class="button primary" disabled={template === undefined || refused !== undefined}>
          {t('Create flow')}
        </button>
      </div>
    </form>
  );
}

interface TemplateCardProps {
  template: FlowTemplate;
  /** Version of a flow of the service. */
  hash: string | undefined;
  isChosen: boolean;
  choose(): void;
  create(): void;
}

const TemplateCard = ({ template, hash, isChosen, choose, create }: TemplateCardProps) => (
  <label class="template" onDblClick={create}>
    <input type="radio" name="template" checked={isChosen} onChange={choose} />
    {template.text === undefined ? (
      <SmallDrawing flow={template.title} hash={hash} />
    ) : (
      <DrawnText id={template.key} text={template.text} size={DRAWING} />
    )}
    <strong>{template.title}</strong>
    <small>{template.sentence}</small>
  </label>
);
