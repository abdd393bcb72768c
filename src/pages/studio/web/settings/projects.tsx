/** Settings page for projects and their API keys. A new key is shown only once. */
import { useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { Copyable } from '../shell/copyable.tsx';
import { Dialog } from '../shell/dialog.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { labelOf } from './labels.ts';
import type { Item } from './resources.ts';
import { SettingForm, useBodyForm } from './setting-form.tsx';
import { ItemTable, type Names, SettingsListPage, useSettingsList } from './settings-list.tsx';

interface Credentials {
  app_id: string;
  app_key?: string;
  webhook_secret?: string;
}

const PATH = '/admin/v1/projects';
const pathOf = (id: string): string => `${PATH}/${encodeURIComponent(id)}`;

const KIND = {
  ...{ slug: 'projects', title: t('Projects'), one: t('project'), list: PATH, key: 'projects' },
  icon: 'settings' as const,
  about: t('Applications that use the API: each has its own calls, numbers, key and webhook secret.'),
};

export function ProjectsPage() {
  const of = useSettingsList<Item>(KIND, (project) => ({ name: String(project['app_id']) }), ['name']);
  const shown = useSignal<Credentials | undefined>(undefined);
  return (
    <>
      <SettingsListPage
        of={of}
        form={(project) => (
          <ProjectForm key={of.formKey} project={project} done={of.done} show={(made) => (shown.value = made)} />
        )}
      >
        <div class="listed">
          <ItemTable
            of={of}
            columns={['name', 'app_id', 'webhook_format'].map(labelOf)}
            cells={(project) => ['name', 'app_id', 'webhook_format'].map((key) => String(project[key]))}
          />
        </div>
      </SettingsListPage>
      {shown.value && <Secrets credentials={shown.value} close={() => (shown.value = undefined)} />}
    </>
  );
}

interface ProjectFormProps {
  project: Item | undefined;
  done(next: Names | undefined): void;
  show(credentials: Credentials): void;
}

function ProjectForm({ project, done, show }: ProjectFormProps) {
  const id = project ? String(project['app_id']) : undefined;
  const isLocked = project?.configured === true;
  const body = useBodyForm(project ? 'patch' : 'post', project ? `${PATH}/{app_id}` : PATH, project ?? {});
  const renew = (what: 'key' | 'webhook-secret', question: string) => (): void => {
    if (id === undefined || !confirm(question)) return;
    const json = { old_valid_for: '24h' };
    request<Credentials & Record<string, never>>(`${pathOf(id)}/${what}`, { method: 'POST', json }).then(
      show,
      tellError,
    );
  };
  const hasOld =
    project?.['previous_key_until'] !== undefined || project?.['previous_webhook_secret_until'] !== undefined;
  const endOld = (): void => {
    if (id === undefined || !confirm(t('End the old key and the old webhook secret now?'))) return;
    request(`${pathOf(id)}/previous`, { method: 'DELETE' }).then(() => done({ name: id }), tellError);
  };
  return (
    <SettingForm
      one={t('project')}
      name={id}
      {...(project && { heading: String(project['name']) })}
      isLocked={isLocked}
      refuse={body.refuse}
      save={async () => {
        const json = body.read();
        if (json === undefined) return;
        if (id === undefined) {
          const made = await request<Credentials & Record<string, never>>(PATH, { method: 'POST', json });
          show(made);
          return done({ name: made.app_id });
        }
        await request(pathOf(id), { method: 'PATCH', json });
        tell(t('Saved: project {id}', { id }));
        done({ name: id });
      }}
      remove={async () => {
        await request(pathOf(id!), { method: 'DELETE' });
        done(undefined);
      }}
      actions={
        <>
          <button
            type="button"
            class="button"
            onClick={renew('key', t('Give it a new key? The old one is valid for another day.'))}
          >
            {t('New key')}
          </button>
          <button
            type="button"
            class="button"
            onClick={renew('webhook-secret', t('Give it a new webhook secret? Events are signed with both for a day.'))}
          >
            {t('New webhook secret')}
          </button>
          {hasOld && (
            <button type="button" class="button" onClick={endOld}>
              {t('End old ones')}
            </button>
          )}
        </>
      }
    >
      {body.fields({ isLocked, first: ['name', 'max_calls'] })}
    </SettingForm>
  );
}

const Secrets = ({ credentials, close }: { credentials: Credentials; close(): void }) => (
  <Dialog title={t('Keep these: they are shown only once')} close={close}>
    <dl class="secrets">
      {(['app_id', 'app_key', 'webhook_secret'] as const).map((name) =>
        credentials[name] === undefined ? null : (
          <div key={name} class="field">
            <dt>{name}</dt>
            <dd>
              <Copyable text={credentials[name]} />
            </dd>
          </div>
        ),
      )}
    </dl>
  </Dialog>
);
