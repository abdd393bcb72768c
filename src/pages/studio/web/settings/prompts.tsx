/** Settings page for prompts: spoken texts, and audio that is uploaded or recorded in the browser. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { request, send } from '../api.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { isReader } from '../shell/session.ts';
import { SettingForm, TextField } from './setting-form.tsx';
import { ItemTable, type Names, SettingsListPage, useSettingsList } from './settings-list.tsx';
import { SoundRecorder } from './sound-recorder.tsx';

interface Prompt {
  name: string;
  language: string;
  text?: string;
  voice?: string;
  audio: boolean;
  duration_ms?: number;
  configured: boolean;
}

const pathOf = ({ name, language }: { name: string; language: string }): string =>
  `/admin/v1/prompts/${encodeURIComponent(name)}/${encodeURIComponent(language)}`;

const KIND = {
  ...{ slug: 'prompts', title: t('Prompts'), one: t('prompt'), list: '/admin/v1/prompts', key: 'prompts' },
  icon: 'broadcasts' as const,
  about: t('Named prompts: text or audio, per language.'),
};

export function PromptsPage() {
  const of = useSettingsList<Prompt>(KIND, ({ name, language }) => ({ name, language }), ['name', 'language']);
  return (
    <SettingsListPage of={of} form={(prompt) => <PromptForm key={of.formKey} prompt={prompt} done={of.done} />}>
      <div class="listed">
        <ItemTable
          of={of}
          columns={[t('name'), t('language'), t('what is heard')]}
          cells={({ name, language, text, duration_ms: ms = 0 }) => [
            name,
            language,
            text ?? t('sound, {count} s', { count: (ms / 1000).toFixed(1) }),
          ]}
        />
      </div>
    </SettingsListPage>
  );
}

interface PromptFormProps {
  prompt: Prompt | undefined;
  done(next: Names | undefined): void;
}

function PromptForm({ prompt, done }: PromptFormProps) {
  const name = useSignal(prompt?.name ?? '');
  const language = useSignal(prompt?.language ?? 'default');
  const text = useSignal(prompt?.text ?? '');
  const voice = useSignal(prompt?.voice ?? '');
  const sound = useSignal<Blob | undefined>(undefined);
  const isLocked = prompt?.configured === true;
  const path = (): string => pathOf({ name: name.value.trim(), language: language.value.trim() });

  useEffect(() => {
    if (!prompt?.audio) return;
    void send(`${pathOf(prompt)}/audio`).then(async (response) => {
      sound.value = await response.blob();
    }, tellError);
  }, []);

  return (
    <SettingForm
      one={t('prompt')}
      name={prompt?.name}
      isLocked={isLocked}
      save={async () => {
        const asSound = sound.value && { body: sound.value, headers: { 'content-type': sound.value.type } };
        const asText = { json: { text: text.value, ...(voice.value === '' ? {} : { voice: voice.value }) } };
        await request(path(), { method: 'PUT', ...(asSound ?? asText) });
        tell(t('Saved: prompt {name}', { name: name.value }));
        done({ name: name.value.trim(), language: language.value.trim() });
      }}
      remove={async () => {
        await request(path(), { method: 'DELETE' });
        done(undefined);
      }}
    >
      {!prompt && (
        <>
          <TextField id="prompt-name" label={t('Name')} of={name} />
          <TextField
            id="prompt-language"
            label={t('Language')}
            of={language}
            help={t('such as en-US; default is for all others')}
          />
        </>
      )}
      <div class="field">
        <label for="prompt-text">{t('Text')}</label>
        <textarea
          id="prompt-text"
          rows={3}
          value={text.value}
          disabled={sound.value !== undefined}
          required={sound.value === undefined}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <small>{t('What is spoken. Or upload or record a sound:')}</small>
      </div>
      <SoundField
        sound={sound.value}
        words={text.value}
        isLocked={isLocked || isReader()}
        change={(next) => (sound.value = next)}
      />
      {sound.value === undefined && (
        <div class="field">
          <label for="prompt-voice">{t('Voice')}</label>
          <select
            id="prompt-voice"
            value={voice.value}
            onChange={(event) => {
              voice.value = event.currentTarget.value;
            }}
          >
            <option value="">{t('default')}</option>
            <option value="female">{t('female')}</option>
            <option value="male">{t('male')}</option>
          </select>
        </div>
      )}
    </SettingForm>
  );
}

interface SoundFieldProps {
  sound: Blob | undefined;
  /** Words to read while recording. */
  words: string;
  isLocked: boolean;
  change(sound: Blob | undefined): void;
}

function SoundField({ sound, words, isLocked, change }: SoundFieldProps) {
  const url = useSignal<string | undefined>(undefined);
  /** Sound that the dialog cuts, or `new` while it records one. */
  const edited = useSignal<Blob | 'new' | undefined>(undefined);
  useEffect(() => {
    if (!sound) {
      url.value = undefined;
      return;
    }
    const made = URL.createObjectURL(sound);
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [sound]);

  return (
    <div class="field">
      {url.value !== undefined && (
        // biome-ignore lint/a11y/useMediaCaption: it is what the person has just said or uploaded.
        <audio controls src={url.value} aria-label={t('The sound of the prompt')} />
      )}
      {!isLocked && (
        <div class="form-end">
          <label class="button">
            {t('Upload WAV or MP3')}
            <input
              type="file"
              class="unseen"
              accept="audio/wav,audio/mpeg,.wav,.mp3"
              onChange={(event) => change(event.currentTarget.files?.[0])}
            />
          </label>
          <button type="button" class="button" onClick={() => (edited.value = 'new')}>
            {t('Record')}
          </button>
          {sound && (
            <button type="button" class="button" onClick={() => (edited.value = sound)}>
              {t('Cut')}
            </button>
          )}
          {sound && (
            <button type="button" class="button quiet" onClick={() => change(undefined)}>
              {t('Use the text')}
            </button>
          )}
        </div>
      )}
      {edited.value !== undefined && (
        <SoundRecorder
          words={words}
          {...(edited.value !== 'new' && { sound: edited.value })}
          close={() => (edited.value = undefined)}
          take={change}
        />
      )}
    </div>
  );
}
