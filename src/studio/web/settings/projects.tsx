/** Projects, and the secrets that are made for them: those are shown once. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { request } from '../api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { choose, place } from '../shell/router.ts';
import { readForm } from './fields.ts';
import { SettingsFrame } from './frame.tsx';
import { bodySchema, type Schema } from './openapi.ts';
import type { Item } from './resources.ts';
import { fieldsOf, SchemaForm } from './schema-form.tsx';

interface Credentials {
  app_id: string;
  app_key?: string;
  webhook_secret?: string;
}

const PATH = '/admin/v1/projects';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

export function ProjectsPage() {
  const { loaded, reload } = useLoaded(async () => (await request<{ projects: Item[] }>(PATH)).projects);
  const shown = useSignal<Credentials | undefined>(undefined);
  const projects = loaded.value.state === 'there' ? loaded.value.value : [];
  const { name: chosen, new: isNew } = place.value.query;
  const project = projects.find((each) => each['app_id'] === chosen);
  const done = (next: string | undefined): void => {
    choose({ name: next, new: undefined });
    reload();
  };
  return (
    <SettingsFrame
      slug="projects"
      title="Projects"
      about="Applications that use the API: each has its own calls, numbers, key and webhook secret."
      actions={
        <button type="button" class="button primary" onClick={() => choose({ name: undefined, new: '1' })}>
          New project
        </button>
      }
    >
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      <div class="list-and-form">
        <div class="listed">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">name</th>
                <th scope="col">app id</th>
                <th scope="col">webhooks</th>
              </tr>
            </thead>
            <tbody>
              {projects.map((each) => (
                <tr key={String(each['app_id'])} aria-selected={each === project}>
                  <td>
                    <button
                      type="button"
                      class="link"
                      onClick={() => choose({ name: String(each['app_id']), new: undefined })}
                    >
                      {String(each['name'])}
                    </button>
                    {each.configured && <span class="pill">file</span>}
                  </td>
                  <td>{String(each['app_id'])}</td>
                  <td>{String(each['webhook_format'])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {(project || isNew !== undefined) && (
          <ProjectForm key={chosen ?? 'new'} project={project} done={done} show={(made) => (shown.value = made)} />
        )}
      </div>
      {shown.value && <Secrets credentials={shown.value} close={() => (shown.value = undefined)} />}
    </SettingsFrame>
  );
}

interface ProjectFormProps {
  project: Item | undefined;
  done(next: string | undefined): void;
  show(credentials: Credentials): void;
}

function ProjectForm({ project, done, show }: ProjectFormProps) {
  const schema = useSignal<Schema | undefined>(undefined);
  const fields = useSignal<Record<string, string>>({});
  const problems = useSignal<Record<string, string>>({});
  const id = project ? String(project['app_id']) : undefined;
  const isLocked = project?.configured === true;
  useEffect(() => {
    const [method, path] = project ? (['patch', `${PATH}/{app_id}`] as const) : (['post', PATH] as const);
    void bodySchema(method, path).then((found) => {
      schema.value = found;
      fields.value = fieldsOf(found, project ?? {});
    }, tellError);
  }, []);
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      tellError(error);
    }
  };
  const save = (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    return attempt(async () => {
      if (!schema.value) return;
      const read = readForm(fields.value, schema.value);
      problems.value = read.problems ?? {};
      if (read.problems) return;
      if (id === undefined) {
        const made = await request<Credentials & Record<string, never>>(PATH, { method: 'POST', json: read.body });
        show(made);
        return done(made.app_id);
      }
      await request(pathOf(id), { method: 'PATCH', json: read.body });
      tell(`Saved: project ${id}`);
      done(id);
    });
  };
  const renew = (what: 'key' | 'webhook-secret', question: string): Promise<void> =>
    attempt(async () => {
      if (id === undefined || !confirm(question)) return;
      show(await request<Credentials & Record<string, never>>(`${pathOf(id)}/${what}`, { method: 'POST' }));
    });
  const remove = (): Promise<void> =>
    attempt(async () => {
      if (id === undefined || !confirm(`Remove the project ${id}?`)) return;
      await request(pathOf(id), { method: 'DELETE' });
      done(undefined);
    });
  return (
    <form class="form" onSubmit={save} aria-label={project ? `project ${id}` : 'New project'}>
      <h2>{project ? String(project['name']) : 'New project'}</h2>
      {isLocked && <p class="locked">Set in the configuration file: change it there.</p>}
      {schema.value && (
        <SchemaForm
          schema={schema.value}
          fields={fields.value}
          problems={problems.value}
          isLocked={isLocked}
          change={(field, written) => {
            fields.value = { ...fields.value, [field]: written };
          }}
        />
      )}
      {!isLocked && (
        <div class="form-end">
          <button type="submit" class="button primary">
            Save
          </button>
          {project && (
            <>
              <button
                type="button"
                class="button"
                onClick={() => renew('key', 'Give it a new key? The old one ends at once.')}
              >
                New key
              </button>
              <button
                type="button"
                class="button"
                onClick={() => renew('webhook-secret', 'Give it a new webhook secret?')}
              >
                New webhook secret
              </button>
              <button type="button" class="button danger" onClick={remove}>
                Remove
              </button>
            </>
          )}
        </div>
      )}
    </form>
  );
}

const Secrets = ({ credentials, close }: { credentials: Credentials; close(): void }) => (
  <Dialog title="Keep these: nobody can show them again" close={close}>
    <dl class="secrets">
      {(['app_id', 'app_key', 'webhook_secret'] as const).map((name) =>
        credentials[name] === undefined ? null : (
          <div key={name} class="field">
            <dt>{name}</dt>
            <dd>
              <code>{credentials[name]}</code>{' '}
              <button
                type="button"
                class="button"
                onClick={() => void navigator.clipboard.writeText(credentials[name]!).then(() => tell('Copied'))}
              >
                Copy
              </button>
            </dd>
          </div>
        ),
      )}
    </dl>
  </Dialog>
);
