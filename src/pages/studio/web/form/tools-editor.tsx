/**
 * Tools of an AI agent as cards: when the agent uses each, what it must say, and where the call goes then. Lookups have
 * a request instead of a target.
 */
import './tools.css';
import { isObject, type JsonObject } from '../../../../base/core/json.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { renameOutcome } from '../../../../language/flow/text/rename.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, type FormContext, pathInFlow, useForm } from './context.ts';
import { type FormField, fieldsInside } from './fields.ts';
import { focusAfterRemoval } from './focus.ts';
import { leadTo } from './lead-to.ts';
import { AddField } from './list-editor.tsx';
import { RowName } from './row-name.tsx';
import { StepSelect } from './step-select.tsx';
import { ToolArguments } from './tool-arguments.tsx';
import { addedTool, nameFrom, problemOfName, removedTool } from './tools.ts';

/** True for a map whose entries the agent answers inside of the step. */
const isLookups = ({ key }: FormField): boolean => key.values?.properties?.['request'] !== undefined;

export function ToolsEditor({ field, value }: EditorProps) {
  const form = useForm();
  const { step, edits, language, isLocked } = form;
  const tools = Object.entries(isObject(value ?? null) ? (value as JsonObject) : {});
  const names = tools.map(([name]) => name);
  const isLookup = isLookups(field);
  const add = (typed: string): string | undefined => {
    const [, title = '', url] = isLookup ? (/^(.*?)\s+(https?:\S+)$/i.exec(typed.trim()) ?? []) : ['', typed];
    if (isLookup && url === undefined) return t('A name and an address, such as stock https://shop.example/stock');
    const name = nameFrom(title);
    const problem = problemOfName(field.key, name, names);
    if (problem !== undefined) return problem;
    const made: JsonObject = isLookup
      ? { description: t('[What does the agent learn from it?]'), request: { get: url! } }
      : { description: t('[When should the agent use it?]') };
    const target = isLookup ? undefined : targetOf(form, names.at(-1)) || '$end';
    return edits.change(
      (flow) => addedTool(flow, { step, path: [...field.path, name], tool: made, target }, language),
      t('add {name} to {step}', { name, step }),
    );
  };
  return (
    <span class="tools">
      {tools.map(([name, tool], index) => (
        <ToolCard key={name} field={field} name={name} tool={isObject(tool) ? tool : {}} index={index} names={names} />
      ))}
      {!isLocked && (
        <AddField
          label={field.label}
          placeholder={isLookup ? t('Lookup: name and address') : t('Tool, such as book a table')}
          add={add}
        />
      )}
    </span>
  );
}

/** Target of an outcome of the step. */
function targetOf({ graph, step }: FormContext, outcome: string | undefined): string {
  const exits = graph.steps.find(({ name }) => name === step)?.exits ?? [];
  return exits.find((exit) => exit.outcome === outcome || exit.covers.includes(outcome ?? ''))?.target ?? '';
}

interface CardProps {
  field: FormField;
  name: string;
  tool: JsonObject;
  index: number;
  names: readonly string[];
}

function ToolCard({ field, name, tool, index, names }: CardProps) {
  const form = useForm();
  const { step, edits, language, isLocked, Field } = form;
  const path: Path = [...field.path, name];
  const isLookup = isLookups(field);
  const rename = (typed: string): string | undefined => {
    const to = nameFrom(typed);
    const rest = names.filter((known) => known !== name);
    const problem = problemOfName(field.key, to, rest);
    if (problem !== undefined) return problem;
    const title = t('rename {name} to {to}', { name, to });
    if (isLookup) return edits.change(() => [{ do: 'key', path: pathInFlow(form, path), to }], title);
    const refused = edits.apply(renameOutcome(form.draft.text.peek(), step, { from: name, to }, language.verbs), title);
    if (refused === undefined) form.draft.renames.push({ kind: 'choice', step, from: name, to });
    return refused;
  };
  const move = (by: number): void => {
    const to = index + by;
    if (to < 0 || to >= names.length) return;
    edits.change(() => [{ do: 'moveItem', path: pathInFlow(form, path), to }], t('move {name}', { name }));
  };
  const remove = (): void => {
    edits.change((flow) => removedTool(flow, { step, path, isLookup }, language), t('remove {name}', { name }));
  };
  const inner = fieldsInside(field, path, language);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of its controls
    <span
      class="tool list-row"
      data-tool={name}
      onKeyDown={(event) => {
        if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
        event.preventDefault();
        move(event.key === 'ArrowUp' ? -1 : 1);
      }}
    >
      <span class="tool-head">
        <span class="tool-name">
          <RowName name={name} rename={rename} />
        </span>
        {!isLookup && <span aria-hidden="true">→</span>}
        {!isLookup && (
          <StepSelect
            label={t('{name} leads to', { name })}
            target={targetOf(form, name)}
            isLocked={isLocked}
            choose={(target) => leadTo(form, name, target)}
          />
        )}
        {names.length > 1 && (
          <MoveButtons name={name} isFirst={index === 0} isLast={index === names.length - 1} move={move} />
        )}
        <button
          type="button"
          class="button quiet"
          aria-label={t('Remove {name}', { name })}
          disabled={isLocked}
          onClick={({ currentTarget }) => {
            focusAfterRemoval(currentTarget);
            remove();
          }}
        >
          ×
        </button>
      </span>
      {inner.map((each) =>
        each.path.at(-1) === 'arguments' ? (
          <ToolArguments key="arguments" field={each} tool={name} value={tool['arguments']} />
        ) : (
          <Field key={each.path.join('.')} field={each} />
        ),
      )}
    </span>
  );
}

interface MoveProps {
  name: string;
  isFirst: boolean;
  isLast: boolean;
  move(by: number): void;
}

function MoveButtons({ name, isFirst, isLast, move }: MoveProps) {
  const { isLocked } = useForm();
  return (
    <span class="tool-moves">
      <button
        type="button"
        class="button quiet"
        aria-label={t('Move {name} up', { name })}
        title={t('Move {name} up', { name })}
        disabled={isLocked || isFirst}
        onClick={() => move(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        class="button quiet"
        aria-label={t('Move {name} down', { name })}
        title={t('Move {name} down', { name })}
        disabled={isLocked || isLast}
        onClick={() => move(1)}
      >
        ↓
      </button>
    </span>
  );
}
