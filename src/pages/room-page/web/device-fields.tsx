/** Choice of camera, microphone and speaker, before joining and in the room. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type Device, type DeviceProblem, LevelMeter } from '../../../../client/devices.js';
import { t } from '../../shared/web/words/translate.ts';
import {
  blur,
  camera,
  choose,
  chooseBlur,
  chosen,
  type DeviceKind,
  devices,
  microphone,
  refreshDevices,
} from './own-media.ts';

export function DeviceFields() {
  useEffect(() => void refreshDevices(), []);
  const { cameras, microphones, speakers } = devices.value;
  const canChooseSpeaker = 'setSinkId' in HTMLMediaElement.prototype && speakers.length > 0;
  return (
    <div class="device-fields">
      <Choice kind="video" title={t('Camera')} list={cameras} />
      {blur.value !== undefined && (
        <label class="check">
          <input
            type="checkbox"
            checked={blur.value}
            onChange={({ currentTarget: { checked } }) => void chooseBlur(checked)}
          />
          <span>{t('Blur the background')}</span>
        </label>
      )}
      <Choice kind="audio" title={t('Microphone')} list={microphones} />
      <Level />
      {canChooseSpeaker && <Choice kind="speaker" title={t('Speaker')} list={speakers} />}
    </div>
  );
}

function Choice({ kind, title, list }: { kind: DeviceKind | 'speaker'; title: string; list: Device[] }) {
  const wanted = chosen.value[kind];
  const current = list.find(({ id }) => id === wanted)?.id ?? list[0]?.id ?? '';
  return (
    <label class="choice">
      <span>{title}</span>
      <select
        value={current}
        disabled={list.length === 0}
        onChange={(event) => void choose(kind, event.currentTarget.value)}
      >
        {list.length === 0 && <option value="">{t('The usual one')}</option>}
        {list.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Level of the microphone. */
function Level() {
  const level = useSignal(0);
  const { isOn, track } = microphone.value;
  useEffect(() => {
    if (!isOn || !track) {
      level.value = 0;
      return;
    }
    const meter = new LevelMeter(track, (now) => {
      level.value = now;
    });
    return () => meter.close();
  }, [isOn, track]);
  return (
    <label class="level">
      <span>{t('Level')}</span>
      <meter min={0} max={1} value={level.value}>
        {Math.round(level.value * 100)} %
      </meter>
    </label>
  );
}

const WORDS: Readonly<Record<'microphone' | 'camera', Readonly<Record<DeviceProblem, string>>>> = {
  microphone: {
    denied: t('The browser does not let this page use your microphone. Allow it beside the address, and try again.'),
    missing: t('No microphone was found. Connect one, and try again.'),
    busy: t('Another program uses your microphone. Close it, and try again.'),
    insecure: t('Browsers open a microphone only for pages with https. You can watch and listen.'),
    failed: t('Your microphone cannot be opened.'),
  },
  camera: {
    denied: t('The browser does not let this page use your camera. Allow it beside the address, and try again.'),
    missing: t('No camera was found. Connect one, and try again.'),
    busy: t('Another program uses your camera. Close it, and try again.'),
    insecure: t('Browsers open a camera only for pages with https. You can watch and listen.'),
    failed: t('Your camera cannot be opened.'),
  },
};

/** Problems of the devices, if any. */
export function DeviceProblems() {
  const problems = [
    [microphone.value.problem, 'microphone'],
    [camera.value.problem, 'camera'],
  ] as const;
  const texts = problems.flatMap(([problem, device]) => (problem ? [WORDS[device][problem]] : []));
  return (
    <div class="device-problems" role="status">
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  );
}
