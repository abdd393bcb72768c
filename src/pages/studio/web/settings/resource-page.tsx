/** Settings page with a form generated from the schema of its route: numbers, users and routes. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { request } from '../api.ts';
import { useCommands } from '../shell/commands.ts';
import { type Item, pathOf, type Resource } from './resources.ts';
import { wordsOf } from './schema-form.tsx';
import { put, SettingForm, TextField, useBodyForm } from './setting-form.tsx';
import {
  FilterField,
  filterCommand,
  ItemTable,
  type Names,
  SettingsListPage,
  useSettingsList,
} from './settings-list.tsx';

/** Suggestions for fields that contain names of other objects. */
const SUGGESTIONS: Readonly<Record<string, () => Promise<string[]>>> = {
  flows: async () => namesOf(await request('/admin/v1/flows'), 'flows', 'name'),
  projects: async () => namesOf(await request('/admin/v1/projects'), 'projects', 'app_id'),
};

const namesOf = (body: Record<string, Json>, list: string, key: string): string[] =>
  (body[list] as Record<string, Json>[]).map((item) => String(item[key]));

/** Minimum number of items for which the filter is shown. */
const FILTERED_FROM = 9;

export function ResourcePage({ resource }: { resource: Resource }) {
  const { name, title, columns } = resource;
  const of = useSettingsList<Item>(resource, (item) => ({ name: String(item[name]) }), ['name']);
  const wanted = useSignal('');
  useCommands(() => [filterCommand(title)], [title]);
  const shown = of.items.filter((item) => JSON.stringify(item).toLowerCase().includes(wanted.value.toLowerCase()));
  return (
    <SettingsListPage
      of={of}
      form={(item) => <ItemForm key={of.formKey} resource={resource} item={item} done={of.done} />}
    >
      <div class="listed">
        {of.items.length >= FILTERED_FROM && <FilterField of={wanted} what={title.toLowerCase()} />}
        <ItemTable
          of={of}
          items={shown}
          columns={columns.map(wordsOf)}
          cells={(item) => columns.map((column) => textOf(item[column]))}
        />
      </div>
    </SettingsListPage>
  );
}

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
  done(next: Names | undefined): void;
}

function ItemForm({ resource, item, done }: ItemFormProps) {
  const { path, name: nameKey, one, nameHelp, suggests = {} } = resource;
  const name = useSignal(item ? String(item[nameKey]) : '');
  const choices = useSignal<Record<string, string[]>>({});
  const body = useBodyForm('put', path, item ?? {});
  const isLocked = item?.configured === true;
  useEffect(() => {
    for (const [field, kind] of Object.entries(suggests))
      void SUGGESTIONS[kind]?.().then(
        (names) => {
          choices.value = { ...choices.value, [field]: names };
        },
        // The form also works without suggestions.
        () => undefined,
      );
  }, []);
  return (
    <SettingForm
      one={one}
      name={item && name.value}
      isLocked={isLocked}
      save={async () => {
        const json = body.read();
        const own = name.value.trim();
        if (json === undefined) return;
        await put(one, own, pathOf(resource, own), json);
        done({ name: own });
      }}
      remove={async () => {
        await request(pathOf(resource, name.value), { method: 'DELETE' });
        done(undefined);
      }}
    >
      {!item && <TextField id="item-name" label={wordsOf(nameKey)} of={name} help={nameHelp} />}
      {body.fields({ isLocked, choices: choices.value })}
    </SettingForm>
  );
}
