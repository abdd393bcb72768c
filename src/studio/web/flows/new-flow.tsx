/** A new flow: from nothing, or a copy of one that is there. */
import { useSignal } from '@preact/signals';
import { Dialog } from '../shell/dialog.tsx';
import { tellError } from '../shell/messages.tsx';
import { go } from '../shell/router.ts';
import { YamlScanner } from '../text/scan-yaml.ts';
import { type ListedFlow, readFlow, writeFlow } from './flow-api.ts';

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

/** The text with another name for the flow; all other characters stay. */
export function renamedFlow(text: string, name: string): string {
  const named = new YamlScanner(text).words.find(
    ({ kind, path }) => kind === 'value' && path.length === 1 && path[0] === 'flow',
  );
  if (named === undefined) return `flow: ${name}\n${text}`;
  return text.slice(0, named.from) + name + text.slice(named.to);
}

export function NewFlow({ flows, close }: { flows: readonly ListedFlow[]; close(): void }) {
  const name = useSignal('');
  const from = useSignal('');
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
      const text = from.value === '' ? SMALLEST : (await readFlow(from.value)).text;
      await writeFlow(name.value, renamedFlow(text, name.value), undefined, false);
      close();
      go(`/flows/${name.value}`);
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
          Begin with
          <select
            value={from.value}
            onChange={(event) => {
              from.value = event.currentTarget.value;
            }}
          >
            <option value="">A greeting and nothing else</option>
            {flows
              .filter(({ errors }) => errors === 0)
              .map((flow) => (
                <option key={flow.name} value={flow.name}>
                  {flow.name}
                </option>
              ))}
          </select>
        </label>
        <p role="alert">{refused}</p>
        <button type="submit" class="button primary" disabled={name.value === '' || refused !== undefined}>
          Make it
        </button>
      </form>
    </Dialog>
  );
}
