/** A page of settings by name: the list, and the form of one. What the configuration file says is shown, and locked. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Json, request } from '../api.ts';
import { Icon } from '../icons.tsx';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { choose, place } from '../shell/router.ts';
import { readForm } from './fields.ts';
import { FormEnd } from './form-end.tsx';
import { SettingsFrame } from './frame.tsx';
import { FilterField, filterCommand } from './listed.tsx';
import { bodySchema, type Schema } from './openapi.ts';
import { type Item, pathOf, type Resource } from './resources.ts';
import { fieldsOf, SchemaForm, wordsOf } from './schema-form.tsx';

/** Names of other things that a field may have. */
const SUGGESTIONS: Readonly<Record<string, () => Promise<string[]>>> = {
  flows: async () => namesOf(await request('/admin/v1/flows'), 'flows', 'name'),
  projects: async () => namesOf(await request('/admin/v1/projects'), 'projects', 'app_id'),
};

const namesOf = (body: Record<string, Json>, list: string, key: string): string[] =>
  (body[list] as Record<string, Json>[]).map((item) => String(item[key]));

export function ResourcePage({ resource }: { resource: Resource }) {
  const { list, key, name, one, title, about, slug } = resource;
  const { loaded, reload } = useLoaded(async () => (await request<Record<string, Item[]>>(list))[key] ?? [], [slug]);
  const wanted = useSignal('');
  const chosen = place.value.query['name'];
  const isNew = place.value.query['new'] !== undefined;
  const make = (): void => choose({ name: undefined, new: '1' });
  useCommands(() => [{ title: `New ${one}`, keys: 'n', group: title, run: make }, filterCommand(title)], [slug]);
  const items = loaded.value.state === 'there' ? loaded.value.value : [];
  const shown = items.filter((item) => JSON.stringify(item).toLowerCase().includes(wanted.value.toLowerCase()));
  const item = items.find((each) => String(each[name]) === chosen);
  const done = (next: string | undefined): void => {
    choose({ name: next, new: undefined });
    reload();
  };
  return (
    <SettingsFrame
      slug={slug}
      title={title}
      about={about}
      actions={
        <button type="button" class="button primary" onClick={make}>
          New {one} <Keys of="n" />
        </button>
      }
    >
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      <div class="list-and-form">
        <div class="listed">
          {items.length > 8 && <FilterField of={wanted} what={title.toLowerCase()} />}
          {loaded.value.state === 'there' && items.length === 0 && <p class="empty">No {title.toLowerCase()} yet.</p>}
          {shown.length > 0 && <ItemTable resource={resource} items={shown} chosen={chosen} />}
        </div>
        {(item || isNew) && <ItemForm key={chosen ?? 'new'} resource={resource} item={item} done={done} />}
      </div>
    </SettingsFrame>
  );
}

interface ItemTableProps {
  resource: Resource;
  items: readonly Item[];
  chosen: string | undefined;
}

function ItemTable({ resource, items, chosen }: ItemTableProps) {
  const { columns, name } = resource;
  return (
    <table class="table">
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {wordsOf(column)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const own = String(item[name]);
          return (
            <tr key={own} aria-selected={own === chosen}>
              {columns.map((column, index) => (
                <td key={column}>
                  {index === 0 ? (
                    <button type="button" class="link" onClick={() => choose({ name: own, new: undefined })}>
                      {textOf(item[column])}
                      {item.configured && (
                        <span class="locked" title="Set in the configuration file">
                          <Icon name="lock" size={12} />
                          <span class="unseen">set in the configuration file</span>
                        </span>
                      )}
                    </button>
                  ) : (
                    textOf(item[column])
                  )}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
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
  /** What to show next. */
  done(name: string | undefined): void;
}

function ItemForm({ resource, item, done }: ItemFormProps) {
  const { path, name: nameKey, one, nameHelp, suggests = {} } = resource;
  const schema = useSignal<Schema | undefined>(undefined);
  const name = useSignal(item ? String(item[nameKey]) : '');
  const fields = useSignal<Record<string, string>>({});
  const problems = useSignal<Record<string, string>>({});
  const choices = useSignal<Record<string, string[]>>({});
  const isLocked = item?.configured === true;

  useEffect(() => {
    void bodySchema('put', path).then((found) => {
      schema.value = found;
      fields.value = fieldsOf(found, item ?? {});
    }, tellError);
    for (const [field, kind] of Object.entries(suggests))
      void SUGGESTIONS[kind]?.().then(
        (names) => {
          choices.value = { ...choices.value, [field]: names };
        },
        // A form without suggestions is a form.
        () => undefined,
      );
  }, []);

  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!schema.value) return;
    const read = readForm(fields.value, schema.value);
    problems.value = read.problems ?? {};
    if (read.problems) return;
    try {
      await request(pathOf(resource, name.value.trim()), { method: 'PUT', json: read.body });
      tell(`Saved: ${one} ${name.value.trim()}`);
      done(name.value.trim());
    } catch (error) {
      tellError(error);
    }
  };
  const remove = async (): Promise<void> => {
    if (!confirm(`Remove the ${one} ${name.value}?`)) return;
    try {
      await request(pathOf(resource, name.value), { method: 'DELETE' });
      tell(`Removed: ${one} ${name.value}`);
      done(undefined);
    } catch (error) {
      tellError(error);
    }
  };

  return (
    <form class="form" onSubmit={save} aria-label={item ? `${one} ${name.value}` : `New ${one}`}>
      <h2>{item ? name.value : `New ${one}`}</h2>
      {isLocked && (
        <p class="locked">
          <Icon name="lock" size={13} /> Set in the configuration file: change it there.
        </p>
      )}
      {!item && (
        <div class="field">
          <label for="item-name">
            {wordsOf(nameKey)} <span class="required">required</span>
          </label>
          <input
            id="item-name"
            required
            autocomplete="off"
            list={undefined}
            value={name.value}
            aria-describedby="item-name-help"
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
          <small id="item-name-help">{nameHelp}</small>
        </div>
      )}
      {schema.value && (
        <SchemaForm
          schema={schema.value}
          fields={fields.value}
          problems={problems.value}
          choices={choices.value}
          isLocked={isLocked}
          change={(field, written) => {
            fields.value = { ...fields.value, [field]: written };
          }}
        />
      )}
      {!isLocked && <FormEnd remove={item && remove} />}
    </form>
  );
}
