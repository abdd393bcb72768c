/** Room 2b: what is said and played to callers, whichever engine carries them. */
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Clock } from '../core/clock.ts';
import { createHttpClient } from '../http/http-client.ts';
import { createAudioLibrary } from '../speech/audio-library.ts';
import { createExternalTts } from '../speech/external/external-tts.ts';
import { createFlite } from '../speech/flite/flite.ts';
import { createPico } from '../speech/pico/pico.ts';
import { SYSTEM_VOICES_DIRECTORY, voicesDirectory } from '../speech/pico/voice-data.ts';
import { createRemoteSounds } from '../speech/remote-sounds.ts';
import { createSpeechFigures } from '../speech/speech-figures.ts';
import type { Synthesizer } from '../speech/synthesizer.ts';
import type { Base } from './base.ts';
import type { Provisioning } from './provisioning.ts';

export type Sounds = ReturnType<typeof createSounds>;

export function createSounds({ config, clock, log, isQuarantined }: Base, { targets }: Pick<Provisioning, 'targets'>) {
  const speech = createSpeechFigures(clock);
  // In quarantine only what is inside.
  const synthesizers = synthesizersOf(isQuarantined ? { ...config, tts: [] } : config, clock).map(speech.synthesizer);
  const fetcher = createHttpClient({ clock, policy: targets, connections: 16 });
  const audio = createAudioLibrary({
    ...{ synthesizers, clock, cacheDirectory: join(config.dataDirectory, 'speech'), log },
    // In quarantine nothing leaves the service.
    ...(!isQuarantined && {
      remote: createRemoteSounds({ client: fetcher, directory: join(config.dataDirectory, 'remote-sounds'), clock }),
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

/** External engines first: somebody configured them. Of those inside, the one with both voices comes first. */
function synthesizersOf(config: Config, clock: Clock): Synthesizer[] {
  const directories = [voicesDirectory(config.dataDirectory), SYSTEM_VOICES_DIRECTORY];
  return [
    ...config.tts.map((engine) => createExternalTts(engine, clock)),
    createFlite({ clock }),
    createPico({ directories, clock }),
  ];
}
