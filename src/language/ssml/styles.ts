/** Approximations of speaking styles by rate, pitch and gain, for engines without styles. */
interface StylePreset {
  rate: number;
  pitch: number;
  gain: number;
}

const PLAIN: StylePreset = { rate: 1, pitch: 1, gain: 1 };

const PRESETS: Readonly<Record<string, StylePreset>> = {
  advertisement_upbeat: { rate: 1.12, pitch: 1.1, gain: 1.1 },
  cheerful: { rate: 1.06, pitch: 1.12, gain: 1.05 },
  customerservice: { rate: 0.98, pitch: 1.03, gain: 1 },
  friendly: { rate: 1, pitch: 1.05, gain: 1 },
  gentle: { rate: 0.9, pitch: 0.96, gain: 0.85 },
};

/** Styles of the API. */
export const SPEECH_STYLES: readonly string[] = Object.keys(PRESETS);

/** Styles of other services are accepted and spoken without a style. */
export const presetOf = (style: string | undefined): StylePreset =>
  style !== undefined && Object.hasOwn(PRESETS, style) ? PRESETS[style]! : PLAIN;
