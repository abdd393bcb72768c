/** Stage 2b of the composition: speech and audio for callers, for any telephony engine. */
import { join } from 'node:path';
import type { Clock } from '../base/core/clock.ts';
import { createHttpClient } from '../base/http/http-client.ts';
import type { Config } from '../config.ts';
import { type AudioLibrary, createAudioLibrary } from '../media/speech/audio-library.ts';
import { createExternalTts } from '../media/speech/external/external-tts.ts';
import { createFlite } from '../media/speech/flite/flite.ts';
import { createPico } from '../media/speech/pico/pico.ts';
import { SYSTEM_VOICES_DIRECTORY, voicesDirectory } from '../media/speech/pico/voice-data.ts';
import { createRemoteSounds } from '../media/speech/remote-sounds.ts';
import { createSpeechFigures } from '../media/speech/speech-figures.ts';
import type { Synthesizer } from '../media/speech/synthesizer.ts';
import { prepareFirstPrompts } from '../service/calls/prompts/first-prompts.ts';
import type { PromptAudio } from '../service/calls/prompts/play-order.ts';
import { stepsByVerb } from '../verbs/steps.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';

export type Sounds = ReturnType<typeof createSounds>;

export function createSounds({ config, clock, log, isQuarantined }: Base, { targets }: Pick<Provisioning, 'targets'>) {
  const speech = createSpeechFigures(clock);
  // In quarantine, only built-in engines are used.
  const synthesizers = synthesizersOf(isQuarantined ? { ...config, tts: [] } : config, clock).map(speech.synthesizer);
  const fetcher = createHttpClient({ clock, policy: targets, connections: 16 });
  const audio: AudioLibrary & Required<Pick<PromptAudio, 'prepare'>> = createAudioLibrary({
    ...{ synthesizers, clock, cacheDirectory: join(config.dataDirectory, 'speech'), log },
    // In quarantine, nothing leaves the service.
    ...(!isQuarantined && {
      remote: createRemoteSounds({
        client: fetcher,
        directory: join(config.dataDirectory, 'remote-sounds'),
        clock,
        log,
      }),
    }),
  });
  return {
    audio,
    speech,
    async close(): Promise<void> {
      for (const synthesizer of synthesizers) await synthesizer.stop();
      await fetcher.close();
    },
  };
}

/** Synthesises the first prompts of callers in advance. Not with external engines, whose sentences may cost money. */
export async function warmUp(
  { config, log, state }: Base,
  { flows, settings }: Pick<Provisioning, 'flows' | 'settings'>,
  { prepare }: PromptAudio,
): Promise<void> {
  if (!prepare) return;
  const names = new Set([...settings.numbers.values()].flatMap(({ flow }) => flow ?? []));
  const prompts = await prepareFirstPrompts({
    flows: [...names].flatMap((name) => flows.get(name) ?? []),
    promptPlaces: (verb) => stepsByVerb.get(verb)?.prompts ?? [],
    prepare,
    mayWarm: () => config.tts.length === 0,
    isOpen: () => state.isOpen,
  });
  log.debug('speech.warmed', { prompts });
}

/**
 * External engines come first, because they are configured explicitly. The built-in engine with both voices precedes
 * the other one.
 */
function synthesizersOf(config: Config, clock: Clock): Synthesizer[] {
  const directories = [voicesDirectory(config.dataDirectory), SYSTEM_VOICES_DIRECTORY];
  return [
    ...config.tts.map((engine) => createExternalTts(engine, clock)),
    createFlite({ clock }),
    createPico({ directories, clock }),
  ];
}
