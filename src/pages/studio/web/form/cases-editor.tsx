/** Cases of a branch: a condition each, and where it leads. The first that is true is taken; the last is “otherwise”. */

import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { OUTCOME_NAME } from '../../../../language/flow/name-patterns.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { ConditionEditor } from './condition-editor.tsx';
import { type EditorProps, flowIn, pathInFlow, useForm, valueAtPath } from './context.ts';
import { focusAfterRemoval } from './focus.ts';
import { leadTo } from './lead-to.ts';
import { outcomesOfCases } from './routes.ts';
import { StepSelect } from './step-select.tsx';
import { Typing } from './typing.tsx';

export function CasesEditor({ field, value }: EditorProps) {
  const form = useForm();
  const { step, edits, isLocked } = form;
  const cases = (Array.isArray(value) ? value : []).map((item) => (isObject(item) ? item : {}));
  const outcomes = outcomesOfCases(cases);
  const last = cases.findLastIndex((item) => item['when'] !== undefined);
  const add = (): void => {
    const target = form.graph.steps.find(({ name }) => name === step)?.exits.at(-1)?.target || '$end';
    const path = pathInFlow(form, field.path);
    const item: Json = { when: false, next: target };
    edits.change(() => [{ do: 'insert', path, index: last + 1, value: item }], t('add a case to {step}', { step }));
  };
  return (
    <span class="cases">
      {cases.map((item, index) =>
        item['when'] === undefined ? null : (
          <Case
            key={`${index} of ${cases.length}`}
            path={[...field.path, index]}
            item={item}
            outcome={outcomes[index]!}
            position={{ index, last }}
          />
        ),
      )}
      {!isLocked && (
        <button type="button" class="button add-field" onClick={add}>
          {t('+ Add a case')}
        </button>
      )}
    </span>
  );
}

interface CaseProps {
  path: Path;
  item: JsonObject;
  outcome: string;
  position: { index: number; last: number };
}

function Case({ path, item, outcome, position: { index, last } }: CaseProps) {
  const form = useForm();
  const { step, edits, draft, isLocked } = form;
  const target = form.graph.steps
    .find(({ name }) => name === step)
    ?.exits.find((exit) => exit.outcome === outcome)?.target;
  const label = t('Case {number}', { number: index + 1 });
  const valueNow = (key: string): Json | undefined => {
    const flow = flowIn(draft.text.peek());
    return flow && valueAtPath({ ...form, flow }, [...path, key]);
  };
  const move = (to: number): void => {
    edits.change(
      () => [{ do: 'moveItem', path: pathInFlow(form, path), to }],
      t('move case {number} of {step}', { number: index + 1, step }),
    );
  };
  const set = (key: string, value: Json | undefined): string | undefined =>
    edits.set({
      step,
      path: [...path, key],
      value,
      title: t('change case {number} of {step}', { number: index + 1, step }),
      field: `${index} ${key}`,
    });
  return (
    <span class="case">
      <span class="case-head">
        <Typing
          label={t('Name of case {number}', { number: index + 1 })}
          shown={String(item['name'] ?? '')}
          now={() => String(valueNow('name') ?? '')}
          accept={(text) => {
            const name = text.trim();
            if (name === '') return set('name', undefined);
            return OUTCOME_NAME.test(name) ? set('name', name) : t('Letters, digits and _');
          }}
          isLocked={isLocked}
          placeholder={label}
        />
        <button
          type="button"
          class="button quiet"
          aria-label={t('Move case {number} up', { number: index + 1 })}
          disabled={isLocked || index === 0}
          onClick={() => move(index - 1)}
        >
          ↑
        </button>
        <button
          type="button"
          class="button quiet"
          aria-label={t('Move case {number} down', { number: index + 1 })}
          disabled={isLocked || index >= last}
          onClick={() => move(index + 1)}
        >
          ↓
        </button>
        <button
          type="button"
          class="button quiet"
          aria-label={t('Remove case {number}', { number: index + 1 })}
          disabled={isLocked || last === 0}
          onClick={({ currentTarget }) => {
            focusAfterRemoval(currentTarget);
            edits.set({
              step,
              path,
              value: undefined,
              title: t('remove case {number} of {step}', { number: index + 1, step }),
            });
          }}
        >
          ×
        </button>
      </span>
      <ConditionEditor
        label={t('Condition of case {number}', { number: index + 1 })}
        value={item['when']}
        isRequired
        now={() => valueNow('when')}
        set={(value) => set('when', value)}
      />
      <span class="case-target">
        <span aria-hidden="true">→</span>
        <StepSelect
          label={t('Case {number} leads to', { number: index + 1 })}
          target={target ?? ''}
          isLocked={isLocked}
          choose={(to) => leadTo(form, outcome, to)}
        />
      </span>
    </span>
  );
}
