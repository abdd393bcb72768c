/** Settings page with a form generated from the schema of its route: numbers, users and routes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { request } from '../api.ts';
import { listFlows } from '../flow-api.ts';
import { useCommands } from '../shell/commands.ts';
import { tellError } from '../shell/messages.tsx';
import { labelOf } from './labels.ts';
import { phoneWords } from './phone-words.ts';
import { type Item, pathOf, type Resource } from './resources.ts';
import type { Choice } from './schema-form.tsx';
import { put, SettingForm, TextField, useBodyForm } from './setting-form.tsx';
import {
  FilterField,
  filterCommand,
  ItemTable,
  type Names,
  SettingsListPage,
  useSettingsList,
} from './settings-list.tsx';

/** Objects that fields refer to, by kind. */
const REFERRED: Readonly<Record<string, () => Promise<Choice[]>>> = {
  flows: async () => (await listFlows()).map(({ name }) => ({ value: name, label: name })),
  projects: async () =>
    (await request<{ projects: { app_id: string; name: string }[] }>('/admin/v1/projects')).projects.map(
      ({ app_id: value, name: label }) => ({ value, label }),
    ),
};

/** Names for the values of fields that refer to other objects. Empty until they are loaded. */
function useChoices(refers: Resource['refers'] = {}): Readonly<Record<string, readonly Choice[]>> {
  const choices = useSignal<Record<string, readonly Choice[]>>({});
  useEffect(() => {
    for (const [field, kind] of Object.entries(refers))
      void REFERRED[kind]?.().then((found) => {
        choices.value = { ...choices.value, [field]: found };
      }, tellError);
  }, []);
  return choices.value;
}

/** Minimum number of items for which the filter is shown. */
const FILTERED_FROM = 9;

interface ResourcePageProps {
  resource: Resource;
  /** Called with the name and the body of a saved item. */
  saved?(name: string, body: Record<string, Json>): void;
}

export function ResourcePage({ resource, saved }: ResourcePageProps) {
  const { name, title, columns, refers } = resource;
  const choices = useChoices(refers);
  const of = useSettingsList<Item>(resource, (item) => ({ name: String(item[name]) }), ['name']);
  const wanted = useSignal('');
  useCommands(() => [filterCommand(title)], [title]);
  const shown = of.items.filter((item) => JSON.stringify(item).toLowerCase().includes(wanted.value.toLowerCase()));
  return (
    <SettingsListPage
      of={of}
      form={(item) => (
        <ItemForm
          key={of.formKey}
          resource={resource}
          item={item}
          choices={choices}
          done={of.done}
          {...(saved && { saved })}
        />
      )}
    >
      <div class="listed">
        {of.items.length >= FILTERED_FROM && <FilterField of={wanted} what={title.toLowerCase()} />}
        <ItemTable
          of={of}
          items={shown}
          columns={columns.map(labelOf)}
          cells={(item) => columns.map((column) => cellOf(column, item[column], choices[column]))}
        />
      </div>
    </SettingsListPage>
  );
}

/** The name of a referred object, the state of a phone, or the value. */
const cellOf = (column: string, value: Json | undefined, choices: readonly Choice[] = []): string =>
  column === 'registrations'
    ? phoneWords(value)
    : (choices.find((choice) => choice.value === value)?.label ?? textOf(value));

const textOf = (value: Json | undefined): string =>
  value === undefined || value === null
    ? ''
    : Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'object'
        ? JSON.stringify(value)
        : String(value);

interface ItemFormProps {
  resource: Resource;
  item: Item | undefined;
  choices: Readonly<Record<string, readonly Choice[]>>;
  done(next: Names | undefined): void;
  /** Called with the name and the body that was saved. */
  saved?(name: string, body: Record<string, Json>): void;
}

function ItemForm({ resource, item, choices, done, saved }: ItemFormProps) {
  const { path, name: nameKey, one, nameHelp, refers = {}, first, idle, neededWhenNew = [] } = resource;
  const name = useSignal(item ? String(item[nameKey]) : '');
  const body = useBodyForm('put', path, item ?? {}, item ? [] : neededWhenNew);
  const isLocked = item?.configured === true;
  const unused = idle?.(body.texts) ?? [];
  // A field whose objects are not loaded yet would be a text field for a moment. A single project needs no field.
  const unready = Object.keys(refers).filter((field) => choices[field] === undefined);
  const isAlone = (choices['project']?.length ?? 0) === 1;
  const hidden = [...unused, ...unready, ...(isAlone ? ['project'] : [])];
  return (
    <SettingForm
      one={one}
      name={item && name.value}
      isLocked={isLocked}
      refuse={body.refuse}
      save={async () => {
        const json = body.read(unused);
        const own = name.value.trim();
        if (json === undefined) return;
        await put(one, own, pathOf(resource, own), json);
        done({ name: own });
        saved?.(own, json);
      }}
      remove={async () => {
        await request(pathOf(resource, name.value), { method: 'DELETE' });
        done(undefined);
      }}
    >
      {!item && <TextField id="item-name" label={labelOf(nameKey)} of={name} help={nameHelp} />}
      {body.fields({ isLocked, choices, first: first(body.texts), hidden })}
    </SettingForm>
  );
}
