/** Prompts: texts that are spoken, and sounds, which are uploaded or recorded here. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { request, send } from '../api.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { useLoaded } from '../shell/load.ts';
import { tell, tellError } from '../shell/messages.tsx';
import { choose, place } from '../shell/router.ts';
import { FormEnd } from './form-end.tsx';
import { SettingsFrame } from './frame.tsx';
import { mixed, wavOf } from './wav.ts';

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

export function PromptsPage() {
  const { loaded, reload } = useLoaded(async () => (await request<{ prompts: Prompt[] }>('/admin/v1/prompts')).prompts);
  const make = (): void => choose({ name: undefined, language: undefined, new: '1' });
  useCommands(() => [{ title: 'New prompt', keys: 'n', group: 'Prompts', run: make }]);
  const prompts = loaded.value.state === 'there' ? loaded.value.value : [];
  const { name, language, new: isNew } = place.value.query;
  const chosen = prompts.find((each) => each.name === name && each.language === language);
  const done = (next: { name: string; language: string } | undefined): void => {
    choose({ name: next?.name, language: next?.language, new: undefined });
    reload();
  };
  return (
    <SettingsFrame
      slug="prompts"
      title="Prompts"
      about="What calls play by a name: a text, or a sound, for each language."
      actions={
        <button type="button" class="button primary" onClick={make}>
          New prompt <Keys of="n" />
        </button>
      }
    >
      {loaded.value.state === 'failed' && <p role="alert">{loaded.value.error.message}</p>}
      <div class="list-and-form">
        <div class="listed">
          {loaded.value.state === 'there' && prompts.length === 0 && <p class="empty">No prompts yet.</p>}
          {prompts.length > 0 && (
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">name</th>
                  <th scope="col">language</th>
                  <th scope="col">what is heard</th>
                </tr>
              </thead>
              <tbody>
                {prompts.map((prompt) => (
                  <tr key={`${prompt.name} ${prompt.language}`} aria-selected={prompt === chosen}>
                    <td>
                      <button
                        type="button"
                        class="link"
                        onClick={() => choose({ name: prompt.name, language: prompt.language, new: undefined })}
                      >
                        {prompt.name}
                      </button>
                    </td>
                    <td>{prompt.language}</td>
                    <td>{prompt.text ?? `sound, ${((prompt.duration_ms ?? 0) / 1000).toFixed(1)} s`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </div>
        {(chosen || isNew !== undefined) && <PromptForm key={`${name} ${language}`} prompt={chosen} done={done} />}
      </div>
    </SettingsFrame>
  );
}

interface PromptFormProps {
  prompt: Prompt | undefined;
  done(next: { name: string; language: string } | undefined): void;
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

  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const asSound = sound.value && { body: sound.value, headers: { 'content-type': sound.value.type } };
    const asText = { json: { text: text.value, ...(voice.value === '' ? {} : { voice: voice.value }) } };
    try {
      await request(path(), { method: 'PUT', ...(asSound ?? asText) });
      tell(`Saved: prompt ${name.value}`);
      done({ name: name.value.trim(), language: language.value.trim() });
    } catch (error) {
      tellError(error);
    }
  };
  const remove = async (): Promise<void> => {
    if (!confirm(`Remove the prompt ${name.value}?`)) return;
    try {
      await request(path(), { method: 'DELETE' });
      done(undefined);
    } catch (error) {
      tellError(error);
    }
  };

  return (
    <form class="form" onSubmit={save} aria-label={prompt ? `prompt ${prompt.name}` : 'New prompt'}>
      <h2>{prompt?.name ?? 'New prompt'}</h2>
      {isLocked && <p class="locked">Set in the configuration file: change it there.</p>}
      {!prompt && (
        <>
          <TextField id="prompt-name" label="Name" of={name} />
          <TextField
            id="prompt-language"
            label="Language"
            of={language}
            help="such as en-US; default is for all others"
          />
        </>
      )}
      <div class="field">
        <label for="prompt-text">Text</label>
        <textarea
          id="prompt-text"
          rows={3}
          value={text.value}
          disabled={isLocked || sound.value !== undefined}
          required={sound.value === undefined}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
        <small>What is spoken. Or upload or record a sound:</small>
      </div>
      <SoundField sound={sound.value} isLocked={isLocked} change={(next) => (sound.value = next)} />
      {sound.value === undefined && (
        <div class="field">
          <label for="prompt-voice">Voice</label>
          <select
            id="prompt-voice"
            value={voice.value}
            disabled={isLocked}
            onChange={(event) => {
              voice.value = event.currentTarget.value;
            }}
          >
            <option value="">usual</option>
            <option value="female">female</option>
            <option value="male">male</option>
          </select>
        </div>
      )}
      {!isLocked && <FormEnd remove={prompt && remove} />}
    </form>
  );
}

interface TextFieldProps {
  id: string;
  label: string;
  of: { value: string };
  help?: string;
}

const TextField = ({ id, label, of, help }: TextFieldProps) => (
  <div class="field">
    <label for={id}>{label}</label>
    <input
      id={id}
      required
      list={undefined}
      value={of.value}
      onInput={(event) => {
        of.value = event.currentTarget.value;
      }}
    />
    {help !== undefined && <small>{help}</small>}
  </div>
);

interface SoundFieldProps {
  sound: Blob | undefined;
  isLocked: boolean;
  change(sound: Blob | undefined): void;
}

function SoundField({ sound, isLocked, change }: SoundFieldProps) {
  const url = useSignal<string | undefined>(undefined);
  const recorder = useRef<MediaRecorder | undefined>(undefined);
  const isRecording = useSignal(false);
  useEffect(() => {
    if (!sound) {
      url.value = undefined;
      return;
    }
    const made = URL.createObjectURL(sound);
    url.value = made;
    return () => URL.revokeObjectURL(made);
  }, [sound]);

  const record = async (): Promise<void> => {
    if (recorder.current) return recorder.current.stop();
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const parts: Blob[] = [];
      const made = new MediaRecorder(stream);
      made.ondataavailable = ({ data }) => parts.push(data);
      made.onstop = () => {
        for (const track of stream.getTracks()) track.stop();
        recorder.current = undefined;
        isRecording.value = false;
        void toWav(new Blob(parts)).then(change, tellError);
      };
      made.start();
      recorder.current = made;
      isRecording.value = true;
    } catch (error) {
      tellError(new Error(`nothing can be recorded here: ${(error as Error).message}`));
    }
  };

  return (
    <div class="field">
      {url.value !== undefined && (
        // biome-ignore lint/a11y/useMediaCaption: it is what the person has just said or uploaded.
        <audio controls src={url.value} aria-label="The sound of the prompt" />
      )}
      {!isLocked && (
        <div class="form-end">
          <label class="button">
            Upload WAV or MP3
            <input
              type="file"
              class="unseen"
              accept="audio/wav,audio/mpeg,.wav,.mp3"
              onChange={(event) => change(event.currentTarget.files?.[0])}
            />
          </label>
          <button type="button" class={`button ${isRecording.value ? 'on' : ''}`} onClick={record}>
            {isRecording.value ? 'Stop recording' : 'Record'}
          </button>
          {sound && (
            <button type="button" class="button quiet" onClick={() => change(undefined)}>
              Use the text
            </button>
          )}
        </div>
      )}
    </div>
  );
}

const SAMPLE_RATE_HZ = 16_000;

async function toWav(recorded: Blob): Promise<Blob> {
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE_HZ);
  const decoded = await context.decodeAudioData(await recorded.arrayBuffer());
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, index) => decoded.getChannelData(index));
  return wavOf(mixed(channels), decoded.sampleRate);
}
