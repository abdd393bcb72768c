/** Dialog for a new flow, from an example or from an existing flow. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { YamlScanner } from '../../../../language/flow/text/scan-yaml.ts';
import { request } from '../api.ts';
import { type ListedFlowData, readFlow, writeFlow } from '../flow-api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tellError } from '../shell/messages.tsx';
import { navigate } from '../shell/router.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

const SMALLEST = `flow: new-flow
doc: Says hello and hangs up.

defaults:
  locale: en-US
  exits: { error: bye }

prompts:
  hello: Hello. This call is answered by a file.

start: hello
steps:
  hello: { play: hello, next: bye }
  bye: { hangup: normal }
`;

/** Replaces the name of the flow in a text and keeps all other characters. */
export function renamedFlow(text: string, name: string): string {
  const named = new YamlScanner(text).words.find(
    ({ kind, path }) => kind === 'value' && path.length === 1 && path[0] === 'flow',
  );
  if (named === undefined) return `flow: ${name}\n${text}`;
  return text.slice(0, named.from) + name + text.slice(named.to);
}

interface Example {
  name: string;
  /** Feature that the example demonstrates. */
  title: string;
  text: string;
}

/** Examples of the service. Empty if it was installed without them. */
const readExamples = async (): Promise<Example[]> =>
  (await request<{ examples: Example[] }>('/admin/v1/examples')).examples;

export function NewFlow({ flows, close }: { flows: readonly ListedFlowData[]; close(): void }) {
  const name = useSignal('');
  /** `example NAME` or `flow NAME`. Empty: the minimal flow. */
  const from = useSignal('');
  const examples = useSignal<readonly Example[]>([]);
  useEffect(() => {
    readExamples().then((found) => (examples.value = found), tellError);
  }, []);
  const isTaken = flows.some((flow) => flow.name === name.value);
  const refused =
    name.value === ''
      ? undefined
      : isTaken
        ? `There is a flow ${name.value} already`
        : NAME.test(name.value)
          ? undefined
          : 'A name has letters, digits, _, - and .';
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (name.value === '' || refused !== undefined) return;
    try {
      const [kind, begin = ''] = from.value.split(/ (.*)/s);
      const example = kind === 'example' ? examples.value.find((each) => each.name === begin)?.text : undefined;
      const text = example ?? (from.value === '' ? SMALLEST : (await readFlow(begin)).text);
      // Saved as a draft, because an example may refer to resources that this service lacks; the editor shows the
      // errors.
      await writeFlow(name.value, renamedFlow(text, name.value), undefined, example !== undefined);
      close();
      navigate(`/flows/${name.value}`);
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <Dialog title="New flow" close={close} class="flow-question">
      <form onSubmit={submit}>
        <label>
          Name
          <input
            value={name.value}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={refused !== undefined}
            onInput={(event) => {
              name.value = event.currentTarget.value.trim();
            }}
          />
        </label>
        <label>
          Start from
          <select
            value={from.value}
            onChange={(event) => {
              from.value = event.currentTarget.value;
            }}
          >
            <option value="">Blank (greeting and hang-up)</option>
            {examples.value.length > 0 && (
              <optgroup label="Examples">
                {examples.value.map((example) => (
                  <option key={example.name} value={`example ${example.name}`}>
                    {example.title}
                  </option>
                ))}
              </optgroup>
            )}
            <optgroup label="Existing flows">
              {flows
                .filter(({ errors }) => errors === 0)
                .map((flow) => (
                  <option key={flow.name} value={`flow ${flow.name}`}>
                    {flow.name}
                  </option>
                ))}
            </optgroup>
          </select>
        </label>
        <p role="alert">{refused}</p>
        <button type="submit" class="button primary" disabled={name.value === '' || refused !== undefined}>
          Create flow
        </button>
      </form>
    </Dialog>
  );
}
